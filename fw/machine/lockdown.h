/* Translations and cache lines that stay, whatever is accessed meanwhile. Only for machines whose
 * description says MACHINE_HAS_LOCKDOWN; on core 0, interrupts masked. */
#ifndef MACHINE_LOCKDOWN_H
#define MACHINE_LOCKDOWN_H

#include <stddef.h>
#include <stdint.h>

#include "generated/messages.h"

struct lockdown_range {
    uintptr_t from;
    size_t size;
};

/* Translations that can be locked. */
#define LOCKDOWN_TRANSLATIONS 4

/* Devices on the path from interrupt to marker: readable addresses without an effect. */
extern const uintptr_t lockdown_devices[2];

/* Locks the translations of at most LOCKDOWN_TRANSLATIONS addresses, all readable. */
void lockdown_translations(const uintptr_t *addresses, unsigned count);

/* Empties the caches, fills one way of L2 with the ranges and lets nothing else into it. */
void lockdown_lines(const struct lockdown_range *ranges, unsigned count);

/* Unlocks both. */
void lockdown_undo(void);

/* Stores the registers' values, each with its name; returns their size in bytes. */
size_t lockdown_read(irq_register_t *to);

#endif
