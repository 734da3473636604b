"""The Cortex-A9's core: secure state, banks, exceptions, interrupts, coprocessor 15, core 1."""

from functools import partial

import pytest

import board
from board import ZYNQ7000

values = partial(board.values, kit=ZYNQ7000)
refusal = partial(board.refusal, kit=ZYNQ7000)

HANDLER = """
    #define SGI_TO_SELF() REG(GICD + 0xF00) = 2u << 24 | 3; ASM("dsb")
    static volatile u32 taken, link, spsr, inside;
    static void handler(struct entry *e) {
        taken++;
        link = e->link - LINK;
        spsr = e->spsr;
        inside = CPSR();
        e->link -= LINK - SKIPPED;
    }
    static __attribute__((unused)) void acknowledging(struct entry *e) {
        u32 iar = GICC_IAR;
        handler(e);
        GICC_EOIR = iar;
        ASM("dsb");
    }
"""


def test_starts_in_secure_svc_with_everything_masked():
    source = "void test(void) { print(CPSR() & 0x1FF); print(MRC(c1, 0, c1, 0)); }"
    assert values(source) == [0x1D3, 0]


def test_says_that_it_is_an_a9_r3p0_of_32_kb_in_a_cluster():
    source = """void test(void) {
        print(MRC(c0, 0, c0, 0)); print(MRC(c0, 0, c0, 5)); print(MRC(c15, 4, c0, 0));
        for (u32 level = 0; level < 2; level++) {
            MCR(c0, 2, c0, 0, level);
            u32 ccsidr = MRC(c0, 1, c0, 0);
            print(((ccsidr >> 13 & 0x7FFF) + 1) * ((ccsidr >> 3 & 0x3FF) + 1) *
                  (16u << (ccsidr & 7)));
        }
    }"""
    assert values(source) == [0x413FC090, 0x80000000, 0xF8F00000, 32 << 10, 32 << 10]


def test_interrupt_is_taken_with_the_banks_of_its_mode_and_returns():
    source = (
        HANDLER
        + """
        void test(void) {
            on_irq = acknowledging;
            gic_start();
            SGI_TO_SELF();
            for (volatile int i = 0; i < 100; i++) {}
            u32 after, sp[2];
            __asm__ volatile("adr %0, 1f\\n mov %1, sp\\n cpsie i\\n 1: nop\\n mov %2, sp"
                             : "=&r"(after), "=&r"(sp[0]), "=r"(sp[1]) :: "memory");
            print(taken); print(link - after); print(sp[1] - sp[0]);
            print(spsr & 0x1FF); print(inside & 0x1FF); print(CPSR() & 0x1FF);
        }"""
    )
    # F stays masked; an IRQ masks IRQs and asynchronous aborts.
    assert values(source, LINK=4, SKIPPED=0) == [1, 0, 0, 0x153, 0x1D2, 0x153]


def test_fiq_comes_by_its_own_line_and_mode_when_the_interface_says_so():
    source = (
        HANDLER
        + """
        void test(void) {
            on_fiq = acknowledging;
            gic_start();
            REG(GICC) = 9; /* FIQEn */
            SGI_TO_SELF();
            UNMASK_IRQ();
            for (volatile int i = 0; i < 100; i++) {}
            print(taken);
            UNMASK_FIQ();
            for (volatile int i = 0; i < 100; i++) {}
            print(taken); print(inside & 0x1FF);
        }"""
    )
    assert values(source, LINK=4, SKIPPED=0) == [0, 1, 0x1D1]


@pytest.mark.parametrize(
    ("slot", "instruction", "link", "skipped", "mode"),
    [
        ("undefined", "udf #0", 4, 4, 0x1B),
        ("undefined", ".inst 0xEEB70A00", 4, 4, 0x1B),
        ("svc", "svc #5", 4, 4, 0x13),
        ("prefetch", "bkpt #0", 4, 4, 0x17),
    ],
)
def test_synchronous_exception_tells_where(slot, instruction, link, skipped, mode):
    source = (
        HANDLER
        + """
        void test(void) {
            on_SLOT = handler;
            u32 at;
            __asm__ volatile("adr %0, 1f\\n mov r4, lr\\n 1: INSTRUCTION\\n mov lr, r4"
                             : "=&r"(at) :: "r4", "memory");
            print(taken); print(link - at); print(inside & 31);
        }"""
    )
    source = source.replace("SLOT", slot).replace("INSTRUCTION", instruction)
    assert values(source, LINK=link, SKIPPED=skipped) == [1, 0, mode]


def test_a_section_that_is_not_mapped_aborts_the_access():
    source = (
        HANDLER
        + """
        static u32 table[4096] __attribute__((aligned(16384)));
        void test(void) {
            on_data = handler;
            for (u32 i = 0; i < 4096; i++)
                table[i] = i == 0x100 ? 0 : i << 20 | 0xC02;
            MCR(c2, 0, c0, 0, table);
            MCR(c3, 0, c0, 0, ~0u);
            MCR(c8, 0, c7, 0, 0);
            ASM("dsb\\n isb");
            MCR(c1, 0, c0, 0, MRC(c1, 0, c0, 0) | 1);
            ASM("isb");
            u32 at;
            __asm__ volatile("adr %0, 1f\\n mov r4, #0x10000000\\n 1: ldr r5, [r4]"
                             : "=&r"(at) :: "r4", "r5", "memory");
            print(taken); print(link - at); print(inside & 31);
        }"""
    )
    assert values(source, LINK=8, SKIPPED=4) == [1, 0, 0x17]


def test_cycle_counter_counts_cycles_stops_in_wfi_and_can_be_set():
    source = """void test(void) {
        counters_start();
        u32 first = CYCLES();
        ASM("nop\\n nop\\n nop");
        print(CYCLES() - first);
        MCR(c9, 0, c13, 0, 1000);
        print(CYCLES());
        MCR(c9, 0, c12, 2, 1u << 31);
        u32 stopped = CYCLES();
        ASM("nop\\n nop");
        print(CYCLES() - stopped);
        MCR(c9, 0, c12, 1, 1u << 31);
        gic_start();
        REG(MPCORE + 0x600) = 3333; /* the private timer: 10 us */
        gic_use(29, 1);
        REG(MPCORE + 0x608) = 5;
        ASM("dsb");
        first = CYCLES();
        ASM("wfi");
        print(CYCLES() - first < 100);
    }"""
    assert values(source) == [4, 1001, 0, 1]


def test_a_coprocessor_access_whose_condition_fails_does_nothing():
    source = """void test(void) {
        u32 value = 7;
        __asm__ volatile("cmp %0, #7\\n mrcne p15, 0, %0, c0, c0, 0" : "+r"(value) :: "cc");
        print(value);
        __asm__ volatile("cmp %0, #7\\n mrceq p15, 0, %0, c0, c0, 0" : "+r"(value) :: "cc");
        print(value);
    }"""
    assert values(source) == [7, 0x413FC090]


def test_what_software_keeps_in_control_registers_it_reads_back():
    source = """void test(void) {
        MCR(c1, 0, c0, 1, 0x47); print(MRC(c1, 0, c0, 1));
        MCR(c10, 0, c0, 0, 0x10000001); print(MRC(c10, 0, c0, 0));
        MCR(c13, 0, c0, 4, 0x12345678); print(MRC(c13, 0, c0, 4));
    }"""
    assert values(source) == [0x47, 0x10000001, 0x12345678]


def test_core_1_waits_in_the_bootrom_for_an_address_and_an_event():
    source = """
        static volatile u32 told;
        void core_main(void) { told = MRC(c0, 0, c0, 5); ASM("dsb"); }
        void test(void) {
            ASM("sev"); /* no address yet */
            for (volatile int i = 0; i < 100; i++) {}
            print(told);
            start_core_1();
            while (!told)
                ASM("wfe");
            print(told);
        }"""
    assert values(source) == [0, 0x80000001]


def test_two_cores_hold_a_lock_by_exclusive_accesses():
    source = """
        static volatile u32 lock, count, ended;
        static void add(u32 times) {
            while (times--) {
                u32 seen;
                do {
                    __asm__ volatile("1: ldrex %0, [%1]\\n cmp %0, #0\\n wfene\\n bne 1b\\n"
                                     "strex %0, %2, [%1]"
                                     : "=&r"(seen) : "r"(&lock), "r"(1) : "cc", "memory");
                } while (seen);
                ASM("dmb");
                count = count + 1;
                ASM("dmb");
                lock = 0;
                ASM("dsb\\n sev");
            }
        }
        void core_main(void) { add(500); ended = 1; }
        void test(void) {
            start_core_1();
            add(500);
            while (!ended) {}
            print(count);
        }"""
    assert values(source) == [1000]


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("MRC(c11, 0, c0, 0);", "register c11, 0, c0, 0 of coprocessor 15 is not modelled"),
        ("MCR(c1, 0, c1, 3, 64);", "register VCR (c1, 0, c1, 3 of coprocessor 15) makes an"),
        ("REG(0xF8000100) = 1;", "no such writable register"),
        ("REG(0x10) = 1;", "store of 4 bytes at unknown address 0x10"),
    ],
)
def test_what_is_not_modelled_stops_it(statement, reason):
    assert reason in refusal(f'void test(void) {{ {statement} ASM("dsb"); }}')


def test_a_program_for_another_machine_is_refused_in_a_line_that_names_both():
    elf = board.compile_program("void test(void) {}")
    process = board.subprocess.run(
        board.command_of(elf, kit=ZYNQ7000), capture_output=True, text=True, check=False
    )
    assert process.returncode == 2
    assert process.stderr.strip().endswith(
        "is a program for AArch64; the Zynq-7000 (zynq7000) runs Arm (32 bit)"
    )


def test_a_loop_takes_as_long_in_thumb_as_in_arm():
    source = """
        #define LOOP(name, set)                                                                  \\
            __attribute__((target(set), noinline)) static u32 name(u32 rounds) {                 \\
                u32 begin = CYCLES();                                                            \\
                __asm__ volatile("1: nop\\n nop\\n subs %0, %0, #1\\n bne 1b"                  \\
                                 : "+r"(rounds)::"cc");                                          \\
                return CYCLES() - begin;                                                         \\
            }
        LOOP(in_arm, "arm")
        LOOP(in_thumb, "thumb")
        void test(void) {
            counters_start();
            print(in_arm(1000));
            print(in_thumb(1000));
        }"""
    arm, thumb = values(source)
    assert abs(arm - thumb) <= 4
    assert arm >= 4000


#: A tick by the private timer, and its handler, in A32.
TICKS = """
    #define TIMER (MPCORE + 0x600)
    static volatile u32 taken;
    static void tick(struct entry *e) {
        u32 iar = GICC_IAR;
        REG(TIMER + 0xC) = 1;
        taken++;
        e->link -= 4;
        GICC_EOIR = iar;
        ASM("dsb");
    }
    static void start_ticks(u32 period) {
        on_irq = tick;
        gic_start();
        REG(GICD + 0x100) = 1u << 29;
        REG(TIMER) = period;
        REG(TIMER + 8) = 7;
        UNMASK_IRQ();
    }
"""
#: IT blocks with accesses, a coprocessor's register, a hint, and a branch to A32 at the end.
BLOCKS = """
    static volatile u32 memory[2];
    __attribute__((target("arm"), noinline)) static u32 in_arm(u32 x) { return x * 3 + 1; }
    __attribute__((target("thumb"), naked, noinline)) static u32 choose(u32 x, u32 (*to)(u32)) {
        __asm__ volatile("tst r0, #4\\n itt eq\\n addeq r0, r0, #2\\n bxeq r1\\n"
                         "add r0, r0, #9\\n bx lr");
    }
    __attribute__((target("thumb"), noinline)) static u32 work(u32 rounds) {
        u32 sum = 0;
        while (rounds--) {
            __asm__ volatile(
                "tst %1, #1\\n ite ne\\n addne %0, %0, #3\\n addeq %0, %0, #5\\n"
                "tst %1, #2\\n ittte eq\\n ldreq r3, [%2]\\n addeq r3, r3, #1\\n"
                "streq r3, [%2]\\n addne %0, %0, #7\\n"
                "tst %1, #4\\n it ne\\n ldrne r3, [%2, #4]\\n add %0, %0, #1\\n"
                "tst %1, #8\\n itt ne\\n wfene\\n addne %0, %0, #11\\n"
                "tst %1, #16\\n itte eq\\n mrceq p15, 0, r3, c0, c0, 0\\n addeq %0, %0, r3\\n"
                "addne %0, %0, #13\\n"
                : "+r"(sum) : "r"(rounds), "r"(memory) : "cc", "r3", "memory");
            sum += choose(rounds, in_arm);
        }
        return sum;
    }
"""


def sum_of_blocks(rounds):
    """The sum that `work` returns, and how often it stores."""
    total, stores = 0, 0
    for n in reversed(range(rounds)):
        total += 3 if n & 1 else 5
        total += 7 if n & 2 else 0
        stores += not n & 2
        total += 1 + (11 if n & 8 else 0) + (13 if n & 16 else 0x413FC090)
        total += n + 9 if n & 4 else 3 * (n + 2) + 1
    return total % 2**32, stores


@pytest.mark.parametrize(
    ("profile", "period"),
    [(ZYNQ7000.profile, 101), (ZYNQ7000.profile, 57), (ZYNQ7000.profile, 40), ("a9", 1501)],
)
def test_interrupted_thumb_code_computes_what_it_would_alone(profile, period):
    source = f"""{TICKS}{BLOCKS}
        void test(void) {{
            counters_start();
            start_ticks({period});
            u32 sum = work(300), end = CYCLES();
            MASK_IRQ();
            print(sum); print(memory[0]); print(taken > 50); print(end > 300 * 30);
        }}"""
    kit = board.Kit(ZYNQ7000.programs, ZYNQ7000.target, profile)
    total, stores = sum_of_blocks(300)
    assert values(source, kit=kit) == [total, stores, 1, 1]


#: Vectors in one set, and a handler that loops and counts.
IN_SET = """
    __asm__(".SET\\n .balign 32\\n vectors_SET: .rept 6\\n WIDE .\\n .endr\\n WIDE 1f\\n WIDE .\\n"
            "1: push {r0-r3}\\n movw r0, #0x0100\\n movt r0, #0xF8F0\\n ldr r1, [r0, #12]\\n"
            "movw r2, #2000\\n"
            "2: nop\\n nop\\n subs r2, r2, #1\\n bne 2b\\n"
            "movw r2, #:lower16:handled\\n movt r2, #:upper16:handled\\n ldr r3, [r2]\\n"
            "add r3, r3, #1\\n str r3, [r2]\\n str r1, [r0, #16]\\n dsb\\n pop {r0-r3}\\n"
            "subs pc, lr, #4\\n .arm\\n");
"""


@pytest.mark.parametrize("profile", [ZYNQ7000.profile, "a9"])
def test_a_handler_takes_as_long_in_thumb_as_in_arm(profile):
    handlers = IN_SET.replace("SET", "arm").replace("WIDE", "b")
    handlers += IN_SET.replace("SET", "thumb").replace("WIDE", "b.w")
    source = f"""
        volatile u32 handled;
        extern u32 vectors_arm[], vectors_thumb[];
        {handlers}
        static u32 answer(u32 vectors, u32 in_thumb) {{
            u32 before = handled, begin;
            MCR(c12, 0, c0, 0, vectors);
            MCR(c1, 0, c0, 0, (MRC(c1, 0, c0, 0) & ~(1u << 30)) | 1u << 12 | in_thumb << 30);
            ASM("isb");
            begin = CYCLES();
            REG(GICD + 0xF00) = 2u << 24 | 3;
            while (handled == before) {{}}
            return CYCLES() - begin;
        }}
        void test(void) {{
            u32 normal = MRC(c12, 0, c0, 0), took[4];
            counters_start();
            gic_start();
            UNMASK_IRQ();
            for (u32 i = 0; i < 4; i++)
                took[i] = answer(i & 1 ? (u32)vectors_thumb & ~1u : (u32)vectors_arm, i & 1);
            MASK_IRQ();
            MCR(c1, 0, c0, 0, MRC(c1, 0, c0, 0) & ~(1u << 30));
            MCR(c12, 0, c0, 0, normal);
            print(took[2]); print(took[3]); print(handled);
        }}"""
    kit = board.Kit(ZYNQ7000.programs, ZYNQ7000.target, profile)
    arm, thumb, handled = values(source, kit=kit)
    assert handled == 4
    assert arm > 400
    assert abs(thumb - arm) <= arm // 20


#: Code of other width, other instruction set and other conditions at the same place.
REWRITTEN = """
    static u32 buffer[4] __attribute__((aligned(32)));
    static u32 call(u32 first, u32 second, u32 third, u32 thumb) {
        buffer[0] = first;
        buffer[1] = second;
        buffer[2] = third;
        ASM("dsb");
        ASM("mcr p15, 0, r0, c7, c5, 0");
        ASM("dsb");
        ASM("isb");
        return ((u32 (*)(u32))((u32)buffer | thumb))(1);
    }
    void test(void) {
        print(call(0x47702004, 0, 0, 1));          // movs r0, #4; bx lr
        print(call(0x47702009, 0, 0, 1));          // movs r0, #9; bx lr
        print(call(0x1023F240, 0x4770, 0, 1));     // movw r0, #0x123; bx lr
        print(call(0xE3A00007, 0xE12FFF1E, 0, 0)); // in A32: mov r0, #7; bx lr
        print(call(0xBF082801, 0x4770200B, 0, 1)); // cmp r0, #1; it eq; moveq r0, #11; bx lr
        print(call(0xBF082802, 0x4770200B, 0, 1)); // cmp r0, #2; it eq; moveq r0, #11; bx lr
    }
"""


@pytest.mark.parametrize("profile", [ZYNQ7000.profile, "a9"])
def test_code_that_is_rewritten_is_executed_as_it_is_now(profile):
    kit = board.Kit(ZYNQ7000.programs, ZYNQ7000.target, profile)
    assert values(REWRITTEN, kit=kit) == [4, 9, 0x123, 7, 11, 1]
