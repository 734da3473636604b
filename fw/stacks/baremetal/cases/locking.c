#include "stacks/baremetal/cases/locking.h"

#include <stdbool.h>

#include "machine/lockdown.h"
#include "machine/path.h"
#include "machine/translation.h"
#include "stacks/baremetal/baremetal.h"

/* The code that an interrupt runs (irqscope.ld), and its part of the call stack. */
extern const char stack_code_start[], stack_code_end[];
#define CALL_STACK_BYTES 256

static uint8_t locked;

void locking_set(uint8_t which) { locked = which; }

static bool is_locked(const uintptr_t *addresses, unsigned count, uintptr_t address) {
    uintptr_t page = mmu_pages_of(address) == MMU_PAGES_4K ? 0x1000 : 0x100000;
    for (unsigned i = 0; i < count; i++)
        if (addresses[i] / page == address / page)
            return true;
    return false;
}

/* Code comes first, then devices; then data that has another translation, as far as there is
 * room. */
static void lock_translations(const struct stack_readback *path) {
    const uintptr_t wanted[] = {
        (uintptr_t)path->vbar,
        lockdown_devices[0],
        lockdown_devices[1],
        (uintptr_t)baremetal_here(),
        (uintptr_t)path->call_stack - 4,
    };
    uintptr_t addresses[LOCKDOWN_TRANSLATIONS];
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (count < LOCKDOWN_TRANSLATIONS && !is_locked(addresses, count, wanted[i]))
            addresses[count++] = wanted[i];
    lockdown_translations(addresses, count);
}

static void lock_lines(const struct stack_readback *path) {
    const struct lockdown_range ranges[] = {
        {(uintptr_t)path->vbar & ~(uintptr_t)0xFFF, (size_t)(stack_code_end - stack_code_start)},
        {(uintptr_t)baremetal_here(), sizeof(struct baremetal_core)},
        {(uintptr_t)path->call_stack - CALL_STACK_BYTES, CALL_STACK_BYTES},
    };
    lockdown_lines(ranges, sizeof ranges / sizeof ranges[0]);
}

void locking_begin(void) {
    struct stack_readback path = stack_readback();
    if (locked & IRQ_LOCKDOWN_L2)
        lock_lines(&path);
    if (locked & IRQ_LOCKDOWN_TLB)
        lock_translations(&path);
}

void locking_end(void) {
    if (locked != 0)
        lockdown_undo();
}
