#ifndef MACHINE_FAULT_H
#define MACHINE_FAULT_H

#include <stdint.h>

/* Called for an exception that nothing expects, with interrupts masked, on an empty call stack:
 * `offset` in the vector table, ESR_EL3, ELR_EL3, FAR_EL3. Each program has its own; does not
 * return. */
_Noreturn void fault_report(uint64_t offset, uint64_t esr, uint64_t elr, uint64_t far);

/* Makes that call, with the registers as they are. */
_Noreturn void fault_entry(void);

#endif
