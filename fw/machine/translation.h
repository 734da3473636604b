#ifndef MACHINE_TRANSLATION_H
#define MACHINE_TRANSLATION_H

#include <stdbool.h>
#include <stdint.h>

/* How DDR is translated; on-chip memory has 4 KB pages always. As enum irq_pages. */
enum mmu_pages { MMU_BLOCKS_1G, MMU_BLOCKS_2M, MMU_PAGES_4K, MMU_SECTIONS_1M, MMU_SECTIONS_16M };

/* MMU_USUAL, which start-up uses, and mmu_has. */
#include "bound/translation.h"

/* Memory attributes of DDR, on-chip memory and the translation tables on this core. */
enum mmu_memory { MMU_CACHEABLE, MMU_NON_CACHEABLE };

/* Writes the translation tables of MMU_USUAL for start-up, without on-chip memory; for a program in
 * on-chip memory, without DDR. Once, by core 0, with its MMU and caches off. */
void mmu_write_tables(void);

/* Turns this core's MMU on (SCTLR.M); the caches stay as they are. */
void mmu_enable(void);

/* Writes what `pages` needs, and maps on-chip memory or not. By core 0; then each core has to use
 * it. */
void mmu_prepare(enum mmu_pages pages, bool on_chip_memory);
void mmu_use(enum mmu_pages pages, enum mmu_memory memory);

/* How an address is translated on this core, by the active tables. */
enum mmu_pages mmu_pages_of(uint64_t address);
enum mmu_memory mmu_memory_of(uint64_t address);

/* Where a walk for an address ends: its descriptor, in the active tables. Only for machines whose
 * description says MACHINE_HAS_LOCKDOWN. */
uintptr_t mmu_descriptor_of(uint64_t address);

#endif
