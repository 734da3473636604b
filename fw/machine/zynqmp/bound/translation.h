#ifndef MACHINE_ZYNQMP_BOUND_TRANSLATION_H
#define MACHINE_ZYNQMP_BOUND_TRANSLATION_H

#define MMU_USUAL MMU_BLOCKS_1G

static inline bool mmu_has(unsigned pages) { return pages <= MMU_PAGES_4K; }

#endif
