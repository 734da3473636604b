"""Below EL3: interrupts there, the non-secure view of the GIC, requests, aborts, translation."""

import pytest

from board import refusal, values

#: From EL3 to a function at EL1 as firmware hands over: every interrupt is of group 1.
TO_EL1 = """
    #define vectors MRS("vbar_el3")
    static __attribute__((unused)) volatile u64 seen, esr;
    static void el1(void);
    static void go(u64 scr, u64 hcr, u64 spsr) {
        REG(GICD) = 3;
        REG(GICD + 0x80) = ~0u;
        REG(GICC + 4) = 0xFF;
        counters_start();
        MSR("scr_el3", 0x31 | SCR_RW | scr);
        MSR("hcr_el2", 1ul << 31 | hcr);
        MSR("vbar_el1", vectors);
        MSR("vbar_el2", vectors);
        MSR("sp_el1", 0x700000ul);
        MSR("sp_el2", 0x6F0000ul);
        MSR("spsr_el3", spsr);
        MSR("elr_el3", el1);
        ASM("isb\\n eret");
    }
"""
EL1H, EL2H = 0x3C5, 0x3C9


@pytest.mark.parametrize("profile", ["functional", "a53"])
def test_an_interrupt_is_taken_at_el1_by_the_view_that_it_has_of_the_gic(profile):
    source = (
        TO_EL1
        + """
        static void handler(void) { seen = GICC_IAR; GICC_EOIR = (u32)seen; ASM("dsb sy"); }
        static void el1(void) {
            print(MRS("CurrentEL") >> 2);
            REG(GICD) = 1; /* of the non-secure view: group 1 */
            REG(GICC) = 1;
            REG(GICC + 4) = 0xF0;
            BYTE(GICD + 0x400 + 3) = 0xA0;
            ASM("dsb sy");
            print(REG(GICD));
            print(REG(GICC));
            print(REG(GICC + 4));
            print(BYTE(GICD + 0x400 + 3));
            print(REG(GICD + 0x80)); /* which group, it does not see */
            on_irq = handler;
            seen = 99;
            REG(GICD + 0xF00) = 2u << 24 | 3;
            ASM("dsb sy");
            for (volatile int i = 0; i < 100; i++) {}
            print(seen);
            print(MRS("isr_el1"));
            UNMASK_IRQ();
            for (volatile int i = 0; i < 100; i++) {}
            print(seen);
            print(REG(GICC + 0x14)); /* idle */
            finish();
        }
        void test(void) { go(0, 0, SPSR); }"""
    )
    assert values(source, "--profile", profile, SPSR=EL1H) == [
        1, 1, 1, 0xF0, 0xA0, 0, 99, 0x80, 3, 0xFF,
    ]  # fmt: skip


def test_an_interrupt_of_group_0_is_not_seen_from_the_non_secure_state():
    source = (
        TO_EL1
        + """
        static void el1(void) {
            REG(GICD) = 1;
            REG(GICD + 0x100 + 12) = 1u << 25;
            BYTE(GICD + 0x400 + 121) = 0x80;
            ASM("dsb sy");
            print(REG(GICD + 0x100 + 12));
            print(BYTE(GICD + 0x400 + 121));
            print(GICC_IAR);
            finish();
        }
        void test(void) {
            REG(GICD + 0x80 + 12) = 0;
            go(0, 0, SPSR);
        }"""
    )
    assert values(source, SPSR=EL1H) == [0, 0, 1023]


@pytest.mark.parametrize(
    ("scr", "hcr", "spsr", "level"),
    [(0, 0, EL1H, 1), (0, 1 << 4, EL1H, 2), (2, 0, EL1H, 3), (2, 1 << 4, EL2H, 3)],
)
def test_an_interrupt_goes_to_the_level_that_the_registers_say(scr, hcr, spsr, level):
    source = (
        TO_EL1
        + """
        static void handler(void) {
            seen = MRS("CurrentEL") >> 2;
            REG(GICD + 0x180) = ~0u;
            GICC_EOIR = GICC_IAR;
            ASM("dsb sy");
            print(seen);
            finish();
        }
        static void el1(void) {
            UNMASK_IRQ();
            for (volatile int i = 0; i < 100; i++) {}
            print(0);
            finish();
        }
        void test(void) {
            on_irq = on_sync = handler;
            REG(GICC) = 3 | 1u << 2;
            REG(GICD + 0x80) = ~0u;
            REG(GICD + 0xF00) = 2u << 24 | 1 << 15 | 3;
            go(SCR, HCR, SPSR);
        }"""
    )
    # A vector of the lower level is where the harness has none: at EL2 and EL3 it is reached by
    # the table's second half, so all are given the same handler there.
    source = source.replace(
        "on_irq = on_sync = handler;",
        """on_irq = on_sync = handler;
            static u32 table[1024] __attribute__((aligned(4096)));
            for (u32 i = 0; i < 16; i++) {
                long to = (long)handler - (long)&table[32 * i];
                table[32 * i] = 0x14000000 | (to >> 2 & 0x3FFFFFF);
            }
            lower = (u64)table;""",
    ).replace('MSR("vbar_el2", vectors);', 'MSR("vbar_el2", lower); MSR("vbar_el3", lower);')
    source = "static unsigned long lower;\n" + source
    assert values(source, SCR=scr, HCR=hcr, SPSR=spsr) == [level]


def test_svc_and_hvc_go_where_they_belong_and_return_after_themselves():
    source = (
        TO_EL1
        + """
        static void handler(void) { seen++; esr = MRS("esr_el1"); }
        static void el1(void) {
            on_sync = handler;
            ASM("svc #5");
            print(seen);
            print(esr);
            finish();
        }
        void test(void) { go(0, 0, SPSR); }"""
    )
    assert values(source, SPSR=EL1H) == [1, 0x15 << 26 | 1 << 25 | 5]
    at_el2 = (
        source.replace('"esr_el1"', '"esr_el2"')
        .replace("svc #5", "hvc #7")
        .replace("0x31", "0x131")
    )
    assert values(at_el2, SPSR=EL2H) == [1, 0x16 << 26 | 1 << 25 | 7]


#: Two views of memory at EL1: flat from 0 by TTBR0, and from the top half by TTBR1 to 6 MB on.
TABLES = """
    static u64 low[512] __attribute__((aligned(4096))), high[512] __attribute__((aligned(4096)));
    static u64 blocks[512] __attribute__((aligned(4096)));
    #define FLAGS (1ul << 10 | 3ul << 8)
    static void translate(void) {
        low[0] = FLAGS | 1 << 2 | 1;
        low[3] = 3ul << 30 | 1ul << 10 | 1;
        high[0] = (u64)blocks | 3;
        blocks[0] = 0x600000 | FLAGS | 1 << 2 | 1;
        blocks[1] = 0x600000 | FLAGS | 1 << 7 | 1 << 2 | 1; /* read-only */
        MSR("mair_el1", 0xFF00);
        MSR("tcr_el1", 25ul | 25ul << 16 | 2ul << 30 | 0x3500ul | 0x35000000ul);
        MSR("ttbr0_el1", low);
        MSR("ttbr1_el1", high);
        ASM("dsb sy\\n tlbi vmalle1\\n dsb sy\\n isb");
        MSR("sctlr_el1", MRS("sctlr_el1") | 1 | 1 << 2 | 1 << 12);
        ASM("isb");
    }
    #define HIGH 0xFFFFFF8000000000ul
"""


@pytest.mark.parametrize("profile", ["functional", "a53"])
def test_memory_that_is_mapped_elsewhere_is_read_written_executed_and_guarded(profile):
    """The memory that the upper half maps holds mov x0, #7; ret."""
    source = (
        TO_EL1
        + TABLES
        + """
        static volatile u64 far;
        static void handler(void) {
            esr = MRS("esr_el1");
            far = MRS("far_el1");
            MSR("elr_el1", MRS("elr_el1") + 4);
        }
        static void el1(void) {
            on_sync = handler;
            translate();
            *(volatile u64 *)(HIGH + 0x1000) = 0x1234;
            ASM("dsb sy");
            print(*(volatile u64 *)0x601000ul);
            print(*(volatile u64 *)(HIGH + 0x201000));
            REG(0x600000) = 0xD28000E0;
            REG(0x600004) = 0xD65F03C0;
            ASM("dsb sy\\n ic iallu\\n dsb sy\\n isb");
            print(((u64(*)(void))HIGH)());
            *(volatile u32 *)(HIGH + 0x201008) = 1;
            print(esr);
            print(far - HIGH);
            (void)*(volatile u32 *)(HIGH + 0x400010);
            print(esr);
            print(far - HIGH);
            finish();
        }
        void test(void) { go(0, 0, SPSR); }"""
    )
    write_denied = 0x25 << 26 | 1 << 25 | 1 << 6 | 0x0E
    not_mapped = 0x25 << 26 | 1 << 25 | 0x06
    assert values(source, "--profile", profile, SPSR=EL1H) == [
        0x1234, 0x1234, 7, write_denied, 0x201008, not_mapped, 0x400010,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ('MSR("hcr_el2", 1ul << 31 | 1);', ["HCR_EL2", "stage 2"]),
        ('MSR("hcr_el2", 1ul << 31 | 0x80);', ["HCR_EL2", "virtual interrupt"]),
    ],
)
def test_what_a_hypervisor_would_need_is_refused_by_name(statement, words):
    line = refusal(f"void test(void) {{ {statement} }}")
    for word in [*words, "PC 0x1", "core 0"]:
        assert word in line
