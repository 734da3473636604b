#ifndef SOC_MMU_H
#define SOC_MMU_H

/* Writes the translation tables. Once, by core 0, with its MMU and caches off. */
void mmu_write_tables(void);

/* Turns this core's MMU on (SCTLR_EL3.M); the caches stay as they are. */
void mmu_enable(void);

#endif
