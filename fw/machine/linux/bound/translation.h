/* Linux translates as it likes. */
#ifndef MACHINE_LINUX_BOUND_TRANSLATION_H
#define MACHINE_LINUX_BOUND_TRANSLATION_H

#define MMU_USUAL MMU_PAGES_4K

static inline bool mmu_has(unsigned pages) { return pages == MMU_USUAL; }

#endif
