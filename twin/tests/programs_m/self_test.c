/* What exceptions of an Armv7-M core do, told line by line on a UART: the same on QEMU's boards as
 * on the twin's (test_m4_exceptions.py). Interrupts 1 to 4 are pended by software. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define BYTE(address) (*(volatile uint8_t *)(address))

#if defined BOARD_STM32
#define SRAM_TOP 0x20010000
#define PUT(c) (REGISTER(0x40011004) = (uint32_t)(c))
static void begin(void) {
    REGISTER(0x40023844) |= 1u << 4 | 1u << 14; /* RCC: USART1, SYSCFG */
    REGISTER(0x4001100C) = 0x2008;              /* on, transmitter on */
}
#elif defined BOARD_MPS2
#define SRAM_TOP 0x20010000
#define PUT(c) (REGISTER(0x40004000) = (uint32_t)(c))
static void begin(void) {
    REGISTER(0x40004010) = 16; /* the least divisor */
    REGISTER(0x40004008) = 1;  /* transmitter on */
}
#else
#define SRAM_TOP 0x20010000
#define PUT(c) (REGISTER(0x4000C000) = (uint32_t)(c))
static void begin(void) {}
#endif

#define ICSR REGISTER(0xE000ED04)
#define VTOR REGISTER(0xE000ED08)
#define AIRCR REGISTER(0xE000ED0C)
#define SCR REGISTER(0xE000ED10)
#define CCR REGISTER(0xE000ED14)
#define SHPR2 REGISTER(0xE000ED1C)
#define SHPR3 REGISTER(0xE000ED20)
#define SHCSR REGISTER(0xE000ED24)
#define CFSR REGISTER(0xE000ED28)
#define HFSR REGISTER(0xE000ED2C)
#define BFAR REGISTER(0xE000ED38)
#define CPACR REGISTER(0xE000ED88)
#define STIR REGISTER(0xE000EF00)
#define FPCCR REGISTER(0xE000EF34)
#define ISER REGISTER(0xE000E100)
#define ICER REGISTER(0xE000E180)
#define ISPR REGISTER(0xE000E200)
#define ICPR REGISTER(0xE000E280)
#define IABR REGISTER(0xE000E300)
#define PRIORITY(n) BYTE(0xE000E400 + (n))

#define SET(reg, value) __asm volatile("msr " #reg ", %0\n isb" ::"r"(value) : "memory")
#define GET(reg)                                                                                   \
    ({                                                                                             \
        uint32_t it_;                                                                              \
        __asm volatile("mrs %0, " #reg : "=r"(it_));                                               \
        it_;                                                                                       \
    })
#define SYNC() __asm volatile("dsb\n isb" ::: "memory")

static void text(const char *it) {
    while (*it)
        PUT(*it++);
}
static void number(uint32_t value) {
    text(" ");
    for (int place = 28; place >= 0; place -= 4)
        PUT("0123456789abcdef"[value >> place & 15]);
}
static void say(const char *name, uint32_t value) {
    text(name);
    number(value);
    text("\n");
}

/* ---- what handlers leave behind ---- */
static volatile uint32_t order[32], orders;
static volatile uint32_t frame[8], link_value, frame_at, status_inside;
static volatile uint32_t pend_inside[8]; /* interrupts that a handler pends */
static volatile uint32_t return_to;      /* where a fault goes on */

static void note(uint32_t what) {
    if (orders < 32)
        order[orders++] = what;
}
static void say_order(const char *name) {
    text(name);
    for (uint32_t n = 0; n < orders; n++)
        number(order[n]);
    text("\n");
    orders = 0;
}

static void interrupt(uint32_t which) {
    note(which);
    if (pend_inside[which]) {
        uint32_t pend = pend_inside[which];
        pend_inside[which] = 0;
        ISPR = pend;
        SYNC();
    }
    note(which | 0x80);
}
void irq1(void) { interrupt(1); }
void irq2(void) { interrupt(2); }
void irq3(void) { interrupt(3); }
void irq4(void) { interrupt(4); }
void pend_sv(void) {
    note(14);
    note(0x8E);
}
void sys_tick(void) { note(15); }
void nmi(void) { note(2); }

void took(uint32_t *at, uint32_t link) {
    frame_at = (uint32_t)at;
    link_value = link;
    status_inside = GET(ipsr);
    for (int n = 0; n < 8; n++)
        frame[n] = at[n];
    if (return_to) {
        at[6] = return_to;
        at[7] |= 1u << 24;
        return_to = 0;
    }
}
__attribute__((naked)) void sv_call(void) {
    __asm volatile("tst lr, #4\n ite eq\n mrseq r0, msp\n mrsne r0, psp\n mov r1, lr\n"
                   " push {r4, lr}\n bl took\n pop {r4, pc}");
}
void any_fault(void) __attribute__((naked, alias("sv_call")));

static void say_frame(const char *name, uint32_t base) {
    text(name);
    for (int n = 0; n < 5; n++)
        number(frame[n]);
    number(frame[6] - base);
    number(frame[7] & 0xFF00FFFF);
    number(link_value);
    number(status_inside);
    text("\n");
}
static void say_fault(const char *name) {
    text(name);
    number(status_inside);
    number(CFSR);
    number(HFSR);
    number(link_value);
    text("\n");
    CFSR = CFSR;
    HFSR = HFSR;
}
#define FAULT(name, ...)                                                                           \
    do {                                                                                           \
        __asm volatile("adr r0, 1f+1\n str r0, [%0]\n" __VA_ARGS__                                 \
                       "\n .align 2\n1: nop" ::"r"(&return_to)                                     \
                       : "r0", "r1", "r2", "r3", "memory", "cc");                                  \
        say_fault(name);                                                                           \
    } while (0)

static uint32_t process_stack[64] __attribute__((aligned(8)));
static uint32_t words[4] __attribute__((aligned(8)));
static uint32_t moved[16 + 16] __attribute__((aligned(128)));
extern uint32_t vectors[];

static void interrupts(void) {
    for (unsigned n = 1; n <= 4; n++)
        PRIORITY(n) = (uint8_t)(n << 5);
    ISER = 0x1E;
    say("priorities", REGISTER(0xE000E400) & 0xE0E0E0E0);
    say("enabled", ISER & 0x1E);
    __asm volatile("cpsid i" ::: "memory");
    ISPR = 0x1E;
    SYNC();
    say("pending", ISPR & 0x1E);
    say("vector pending", ICSR >> 12 & 0x1FF);
    __asm volatile("cpsie i\n isb" ::: "memory");
    say_order("by priority");
    pend_inside[3] = 1 << 1;
    ISPR = 1 << 3;
    SYNC();
    say_order("nested");
    pend_inside[1] = 1 << 3;
    ISPR = 1 << 1;
    SYNC();
    say_order("chained");
    PRIORITY(1) = PRIORITY(2) = 0x40;
    pend_inside[2] = 1 << 1;
    ISPR = 1 << 2;
    SYNC();
    say_order("equal priorities");
    AIRCR = 0x05FA0000 | 6 << 8; /* one bit of priority, the rest of sub-priority */
    say("grouping", AIRCR);
    PRIORITY(1) = 0x20;
    PRIORITY(2) = 0x60;
    pend_inside[2] = 1 << 1;
    ISPR = 1 << 2;
    SYNC();
    say_order("sub-priority does not pre-empt");
    __asm volatile("cpsid i" ::: "memory");
    ISPR = 1 << 1 | 1 << 2;
    SYNC();
    __asm volatile("cpsie i\n isb" ::: "memory");
    say_order("sub-priority decides");
    AIRCR = 0x05FA0000;
    for (unsigned n = 1; n <= 4; n++)
        PRIORITY(n) = (uint8_t)(n << 5);
    SET(basepri, 0x60);
    ISPR = 1 << 2 | 1 << 3;
    SYNC();
    say_order("basepri lets through");
    say("basepri keeps back", ISPR & 0x1E);
    SET(basepri, 0);
    say_order("after basepri");
    SET(basepri, 0x60);
    SET(basepri_max, 0x80);
    say("basepri_max does not lower", GET(basepri));
    SET(basepri_max, 0x40);
    say("basepri_max raises", GET(basepri));
    SET(basepri, 0);
    SET(faultmask, 1);
    ISPR = 1 << 1;
    SYNC();
    say_order("faultmask keeps back");
    SET(faultmask, 0);
    say_order("after faultmask");
    SHPR3 = 0xE0C00000; /* SysTick, PendSV */
    ICSR = 1u << 28 | 1u << 26;
    SYNC();
    say_order("PendSV and SysTick");
    pend_inside[4] = 1 << 1;
    __asm volatile("cpsid i" ::: "memory");
    ICSR = 1u << 28;
    ISPR = 1 << 4;
    SYNC();
    say("ICSR pending", ICSR & 0x10000000);
    ICSR = 1u << 27;
    SYNC();
    say("ICSR cleared", ICSR & 0x10000000);
    ICSR = 1u << 28;
    __asm volatile("cpsie i\n isb" ::: "memory");
    say_order("all of them");
    STIR = 2;
    SYNC();
    say_order("STIR");
    __asm volatile("cpsid i" ::: "memory");
    ISPR = 1 << 2;
    ICPR = 1 << 2;
    SYNC();
    __asm volatile("cpsie i\n isb" ::: "memory");
    say_order("taken back");
    ICER = 1 << 2;
    ISPR = 1 << 2;
    SYNC();
    say_order("disabled");
    say("disabled and pending", ISPR & 0x1E);
    ISER = 1 << 2;
    SYNC();
    say_order("enabled again");
    ICSR = 1u << 31;
    SYNC();
    say_order("NMI");
}

static void frames(void) {
    uint32_t base;
    __asm volatile("adr %0, 1f\n"
                   "1: movs r0, #10\n movs r1, #11\n movs r2, #12\n movs r3, #13\n mov r12, r3\n"
                   " cmp r0, r0\n svc 5\n"
                   : "=&r"(base)::"r0", "r1", "r2", "r3", "r12", "memory", "cc");
    say_frame("SVC", base);
    say("aligned", frame_at & 7);
    __asm volatile("adr %0, 1f\n"
                   " sub sp, #4\n"
                   "1: movs r0, #10\n movs r1, #11\n movs r2, #12\n movs r3, #13\n mov r12, r3\n"
                   " svc 5\n add sp, #4\n"
                   : "=&r"(base)::"r0", "r1", "r2", "r3", "r12", "memory", "cc");
    say_frame("SVC at one of two words", base);
    say("aligned", frame_at & 7);
    SET(psp, (uint32_t)(process_stack + 64));
    SET(control, 2);
    __asm volatile("adr %0, 1f\n"
                   "1: movs r0, #20\n movs r1, #21\n movs r2, #22\n movs r3, #23\n mov r12, r3\n"
                   " svc 6\n"
                   : "=&r"(base)::"r0", "r1", "r2", "r3", "r12", "memory", "cc");
    uint32_t control = GET(control);
    SET(control, 0);
    say_frame("SVC on the process stack", base);
    say("control", control);
    say("place", (uint32_t)(process_stack + 64) - frame_at);
    say("process stack", GET(psp) - (uint32_t)process_stack);
    /* An interrupt in the midst of an IT block: each store but the first is conditional. */
    words[0] = words[1] = words[2] = 0;
    __asm volatile("ldr r1, =0xE000E200\n movs r2, #2\n movs r3, #1\n cmp r3, #1\n"
                   " ittte eq\n streq r2, [r1]\n streq r3, [%0]\n streq r3, [%0, #4]\n"
                   " strne r3, [%0, #8]\n dsb\n isb" ::"r"(words)
                   : "r1", "r2", "r3", "memory", "cc");
    say_order("in an IT block");
    say("then", words[0]);
    say("then", words[1]);
    say("else", words[2]);
}

static void exclusive(void) {
    uint32_t first, second, third;
    __asm volatile("ldrex r1, [%3]\n adds r1, #1\n strex %0, r1, [%3]\n"
                   " ldrex r1, [%3]\n clrex\n strex %1, r1, [%3]\n"
                   " ldrex r1, [%3]\n svc 1\n strex %2, r1, [%3]"
                   : "=&r"(first), "=&r"(second), "=&r"(third)
                   : "r"(words)
                   : "r1", "memory", "cc");
    say("STREX", first);
    say("STREX after CLREX", second);
    say("STREX after an exception", third);
}

#ifndef BOARD_LM3S
static void floating(void) {
    uint32_t inside, value;
    FAULT("FPU off", ".fpu vfpv4\n vmov s0, r0");
    CPACR |= 0xF << 20;
    SYNC();
    say("before", GET(control) & 4);
    __asm volatile(".fpu vfpv4\n movs r0, #42\n vmov s1, r0" ::: "r0");
    say("after", GET(control) & 4);
    __asm volatile("svc 2" ::: "memory");
    say("EXC_RETURN", link_value);
    __asm volatile(".fpu vfpv4\n vmov %0, s1" : "=r"(value));
    say("s1", value);
    say("active", GET(control) & 4);
    SET(control, 0);
    __asm volatile("svc 2" ::: "memory");
    say("EXC_RETURN without", link_value);
    inside = FPCCR;
    say("FPCCR", inside & 0xC0000001);
}
#endif

static void faults(void) {
    SHCSR |= 7u << 16;
    FAULT("UDF", " udf 1");
    CCR |= 1u << 4;
    FAULT("division by zero", " movs r1, #1\n movs r2, #0\n udiv r1, r1, r2");
    CCR &= ~(1u << 4);
    FAULT("no bit 0", " ldr r1, =0x20000000\n bx r1");
    SHCSR &= ~(7u << 16);
    FAULT("escalated", " udf 1");
    say("SHCSR", SHCSR);
}

static void others(void) {
    for (unsigned n = 0; n < 32; n++)
        moved[n] = vectors[n];
    VTOR = (uint32_t)moved;
    moved[16 + 1] = vectors[16 + 2];
    SYNC();
    ISPR = 1 << 1;
    SYNC();
    say_order("moved table");
    VTOR = (uint32_t)vectors;
    words[0] = 0;
    REGISTER(0x22000000 + ((uint32_t)words - 0x20000000) * 32 + 4 * 5) = 1;
    say("bit band", words[0]);
    words[0] = 0xF0;
    say("bit band", REGISTER(0x22000000 + ((uint32_t)words - 0x20000000) * 32 + 4 * 5));
    __asm volatile("sev\n wfe" ::: "memory");
    say("after SEV and WFE", 1);
    __asm volatile("cpsid i" ::: "memory");
    ISPR = 1 << 1;
    __asm volatile("dsb\n wfi" ::: "memory");
    say("after WFI with a pending interrupt", ISPR & 0x1E);
    __asm volatile("cpsie i\n isb" ::: "memory");
    say_order("and it is taken");
    say("active in thread", IABR & 0x1E);
}

__attribute__((noreturn, used)) void done(void) {
    for (;;)
        __asm volatile("wfi");
}

__attribute__((noreturn)) void start(void) {
    begin();
    interrupts();
    frames();
    exclusive();
    faults();
#ifndef BOARD_LM3S
    floating();
#endif
    others();
    text("end\n");
    done();
}

__attribute__((section(".vectors"), used, aligned(128))) uint32_t vectors[16 + 16] = {
    SRAM_TOP,
    (uint32_t)start,
    (uint32_t)nmi,
    [3 ... 6] = (uint32_t)any_fault,
    [11] = (uint32_t)sv_call,
    [14] = (uint32_t)pend_sv,
    (uint32_t)sys_tick,
    [17] = (uint32_t)irq1,
    (uint32_t)irq2,
    (uint32_t)irq3,
    (uint32_t)irq4,
};
