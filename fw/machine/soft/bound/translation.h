/* Nothing is translated: all memory is as if in one page. */
#ifndef MACHINE_SOFT_BOUND_TRANSLATION_H
#define MACHINE_SOFT_BOUND_TRANSLATION_H

#define MMU_USUAL MMU_BLOCKS_1G

static inline bool mmu_has(unsigned pages) { return pages == MMU_USUAL; }

#endif
