#ifndef MACHINE_ZYNQ7000_BOUND_TRANSLATION_H
#define MACHINE_ZYNQ7000_BOUND_TRANSLATION_H

#define MMU_USUAL MMU_SECTIONS_1M

static inline bool mmu_has(unsigned pages) {
    return pages == MMU_SECTIONS_1M || pages == MMU_SECTIONS_16M || pages == MMU_PAGES_4K;
}

#endif
