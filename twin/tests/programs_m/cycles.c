/* How many cycles exceptions take, told line by line on a UART (test_m4_cycles.py): on an
 * STM32F446 at 16 MHz, whose flash has no wait states then. SysTick is urgent, interrupt 1 is not.
 */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define BYTE(address) (*(volatile uint8_t *)(address))
#define CYCCNT REGISTER(0xE0001004)
#define TICK_CONTROL REGISTER(0xE000E010)
#define TICK_LOAD REGISTER(0xE000E014)
#define TICK_VALUE REGISTER(0xE000E018)
#define SCR REGISTER(0xE000ED10)
#define CPACR REGISTER(0xE000ED88)
#define FPCCR REGISTER(0xE000EF34)
#define PUT(c) (REGISTER(0x40011004) = (uint32_t)(c))
#define RUN 7 /* on, with an interrupt, by the core's clock */

static void number(uint32_t value) {
    PUT(' ');
    for (int place = 28; place >= 0; place -= 4)
        PUT("0123456789abcdef"[value >> place & 15]);
}
static void say(const char *name, uint32_t first, uint32_t second, uint32_t third) {
    while (*name)
        PUT(*name++);
    number(first);
    number(second);
    number(third);
    PUT('\n');
}

/* When a handler began, EXC_RETURN there, how often it ran. */
volatile uint32_t tick_seen[3], line_seen[3], steps, stays;

#define BEGIN(seen, more)                                                                          \
    __asm volatile("movw r0, #0x1004\n movt r0, #0xE000\n ldr r0, [r0]\n"                          \
                   " ldr r1, =" #seen "\n str r0, [r1]\n str lr, [r1, #4]\n"                       \
                   " ldr r2, [r1, #8]\n adds r2, #1\n str r2, [r1, #8]\n" more)

/* Once: it turns itself off, unless a test wants it to go on. */
__attribute__((naked)) void sys_tick(void) {
    BEGIN(tick_seen, " ldr r1, =stays\n ldr r1, [r1]\n cmp r2, r1\n bcc 1f\n"
                     " movs r0, #0\n movw r1, #0xE010\n movt r1, #0xE000\n str r0, [r1]\n"
                     " movw r1, #0xED10\n movt r1, #0xE000\n str r0, [r1]\n" /* and SCR */
                     "1: bx lr");
}
__attribute__((naked)) void line(void) { BEGIN(line_seen, " .rept 40\n nop\n .endr\n bx lr"); }
/* The FPU is used before any store of its own to the stack could be. */
__attribute__((naked)) void floats(void) {
    __asm volatile(".fpu vfpv4\n movw r2, #0x1004\n movt r2, #0xE000\n ldr r0, [r2]\n"
                   " vmov s0, r0\n ldr r3, [r2]\n ldr r1, =line_seen\n str r0, [r1]\n"
                   " str r3, [r1, #4]\n bx lr");
}

/* Interrupt 1 pends at one place, and SysTick so many cycles after another one. */
__attribute__((noinline)) static uint32_t race(uint32_t after, uint32_t interrupts) {
    uint32_t begin;
    tick_seen[2] = line_seen[2] = 0;
    TICK_LOAD = after;
    TICK_VALUE = 0;
    __asm volatile(
        "movw r1, #0xE010\n movt r1, #0xE000\n movs r2, #7\n"
        " movw r3, #0xE200\n movt r3, #0xE000\n"
        " movw r0, #0x1004\n movt r0, #0xE000\n ldr %0, [r0]\n nop\n"
        " str r2, [r1]\n .rept 50\n nop\n .endr\n str %1, [r3]\n .rept 200\n nop\n .endr\n"
        : "=&r"(begin)
        : "r"(interrupts)
        : "r0", "r1", "r2", "r3", "memory");
    return begin;
}

/* How far a counter goes from one read to the next one, with so many instructions between. */
#define TAKES(count, counter)                                                                      \
    ({                                                                                             \
        uint32_t before_, after_;                                                                  \
        __asm volatile("nop\n ldr %0, [%2]\n .rept " #count "\n nop\n .endr\n ldr %1, [%2]"        \
                       : "=&r"(before_), "=&r"(after_)                                             \
                       : "r"(&(counter))                                                           \
                       : "memory");                                                                \
        after_ - before_;                                                                          \
    })

__attribute__((noreturn, used)) void done(void) {
    for (;;)
        __asm volatile("wfi");
}

__attribute__((noreturn)) void start(void) {
    REGISTER(0x40023844) |= 1u << 4; /* USART1 */
    REGISTER(0x4001100C) = 0x2008;
    REGISTER(0xE000EDFC) |= 1u << 24; /* DWT */
    REGISTER(0xE0001000) |= 1;
    BYTE(0xE000E401) = 0x80; /* interrupt 1 */
    REGISTER(0xE000E100) = 6;

    TICK_LOAD = 0xFFFFFF;
    TICK_VALUE = 0;
    TICK_CONTROL = 5;
    {
        uint32_t cycles = TAKES(300, CYCCNT) - TAKES(100, CYCCNT);
        uint32_t ticks = TAKES(100, TICK_VALUE) - TAKES(300, TICK_VALUE);
        say("counters", cycles, ticks, 0);
    }
    TICK_CONTROL = 0;

    for (uint32_t after = 40; after < 150; after++) {
        uint32_t begin = race(after, 0);
        uint32_t alone = tick_seen[0] - begin;
        begin = race(after, 2);
        say("race", alone, tick_seen[0] - begin, tick_seen[1]);
    }

    CPACR |= 0xF << 20;
    for (uint32_t lazily = 0; lazily < 2; lazily++) {
        FPCCR = 1u << 31 | lazily << 30;
        __asm volatile("dsb\n isb\n .fpu vfpv4\n movs r0, #42\n vmov s0, r0" ::: "r0", "s0");
        uint32_t begin = race(0xFFFFFF, 2); /* it enters by `line` */
        uint32_t entry = line_seen[0] - begin;
        begin = race(0xFFFFFF, 4); /* by `floats` */
        say(lazily ? "lazy" : "eager", entry, line_seen[0] - begin, line_seen[1] - line_seen[0]);
        uint32_t value;
        __asm volatile(".fpu vfpv4\n vmov %0, s0" : "=r"(value));
        say("s0", value, 0, 0);
    }
    FPCCR = 3u << 30;
    TICK_CONTROL = 0;
    __asm volatile("movs r0, #0\n msr control, r0\n isb" ::: "r0");

    tick_seen[2] = steps = 0;
    stays = 3;
    TICK_LOAD = 1000;
    TICK_VALUE = 0;
    SCR = 2; /* it sleeps again where a handler returns */
    TICK_CONTROL = RUN;
    __asm volatile("wfi" ::: "memory");
    steps++;
    say("sleep on exit", tick_seen[2], steps, 0);
    __asm volatile("" ::: "memory");
    const char *last = "end\n";
    while (*last)
        PUT(*last++);
    done();
}

__attribute__((section(".vectors"), used, aligned(128))) uint32_t vectors[16 + 16] = {
    0x20010000, (uint32_t)start, [15] = (uint32_t)sys_tick, [17] = (uint32_t)line, (uint32_t)floats,
};
