#include "machine/zynq/smp.h"

#include <stdint.h>

#include "bound/addresses.h"
#include "lib/mmio.h"
#include "machine/cpu.h"
#include "machine/start.h"

extern const char _start[];

static void (*start_function[CORES])(void);

/* The boot ROM left core 1 in WFE; it goes where this word says (UG585, boot). The word's page is
 * in no cache (arch/arm32/mmu.c). */
void smp_start(unsigned core, void (*function)(void)) {
    start_function[core] = function;
    /* The core starts with its caches off: its data must be in memory. */
    line_flush(&start_function[core]);
    mmio_write32(CORE_START_WORD, (uint32_t)(uintptr_t)_start);
    dsb();
    __asm__ volatile("sev" : : : "memory");
}

void secondary_main(void) { start_function[cpu_number()](); }
