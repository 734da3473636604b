#ifndef MACHINE_ZYNQMP_BOUND_TRANSLATION_H
#define MACHINE_ZYNQMP_BOUND_TRANSLATION_H

#if PROGRAM_ON_CHIP
#define MMU_USUAL MMU_PAGES_4K

static inline bool mmu_has(unsigned pages) { return pages == MMU_USUAL; }
#else
#define MMU_USUAL MMU_BLOCKS_1G

static inline bool mmu_has(unsigned pages) { return pages <= MMU_PAGES_4K; }
#endif

#endif
