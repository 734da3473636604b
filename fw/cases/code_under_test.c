/* Code under test for the case PLACEMENT, each a function that an experiment names. One of your
 * own is the same: without arguments, entered and left with interrupts unmasked, in the section
 * .code_under_test. */
#include <stdint.h>

#include "cases/placement.h"
#include "machine/cpu.h"

#define CODE_UNDER_TEST(name)                                                                      \
    void name(void);                                                                               \
    __attribute__((section(".code_under_test"), used, noinline)) void name(void)

#define NOPS(number) __asm__ volatile(".rept " #number "\n\tnop\n\t.endr" : : : "memory")

CODE_UNDER_TEST(code_under_test_nops) { NOPS(32); }

/* A word is read and another one written, four times in a row. */
CODE_UNDER_TEST(code_under_test_loads) {
    static volatile uint32_t words[8];
    NOPS(4);
    words[1] = words[0];
    words[3] = words[2];
    words[5] = words[4];
    words[7] = words[6];
    NOPS(4);
}

#ifdef CPU_DIVIDE
/* The longest division that there is: a number with its highest bit set, divided by 1. */
CODE_UNDER_TEST(code_under_test_division) {
    uint32_t result = UINT32_C(0x80000001), by = 1;
    NOPS(4);
    __asm__ volatile(CPU_DIVIDE : "+r"(result) : "r"(by));
    NOPS(4);
}
#endif

/* A critical section: interrupts are masked for 64 instructions and those that mask and unmask
 * them. */
CODE_UNDER_TEST(code_under_test_masked) {
    NOPS(4);
    interrupts_mask();
    NOPS(64);
    interrupts_unmask();
    NOPS(4);
}

/* Sleeps until the interrupt comes, unless it has come already. */
CODE_UNDER_TEST(code_under_test_wfi) {
    NOPS(4);
    interrupts_mask();
    if (placement_is_open())
        wait_for_interrupt();
    interrupts_unmask();
    NOPS(4);
}
