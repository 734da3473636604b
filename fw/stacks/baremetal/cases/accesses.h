/* Accesses to random places, with a known number of instructions. */
#ifndef BAREMETAL_CASES_ACCESSES_H
#define BAREMETAL_CASES_ACCESSES_H

/* Instructions of accesses_run: once, for each access or call, for each loop of padding. */
#define ACCESSES_FIXED 12
#define ACCESSES_EACH 16
#define ACCESSES_PADDING 2

/* The number of lines of a place from which one is chosen, at most. */
#define ACCESSES_OFFSETS 12

#ifndef __ASSEMBLER__

#include <stdint.h>

struct accesses {
    uint64_t state; /* state of the random numbers */
    uintptr_t data;
    uintptr_t code;   /* a return at the beginning of each line */
    uintptr_t places; /* places in each array, one of which is chosen */
    uintptr_t stride; /* bytes from one to the next */
    uintptr_t lines;  /* lines in a place, one of which is chosen by the same random number */
    uintptr_t loads;  /* accesses to be made, a load or a store by chance */
    uintptr_t calls;  /* calls to be made */
    uintptr_t padding;
    uint32_t offsets[ACCESSES_OFFSETS]; /* where the lines are in a place, bytes */
};

void accesses_run(struct accesses *accesses);

#endif
#endif
