/* Accesses to random places, with a known number of instructions. */
#ifndef BAREMETAL_CASES_ACCESSES_H
#define BAREMETAL_CASES_ACCESSES_H

/* Instructions of accesses_run: always, for each access or call, for each loop of padding. */
#define ACCESSES_FIXED 10
#define ACCESSES_EACH 11
#define ACCESSES_PADDING 2

/* Bytes of the code array that a call may go to: one return for each line of a cache. */
#define ACCESSES_SLOT 64

#ifndef __ASSEMBLER__

#include <stdint.h>

struct accesses {
    uint64_t state; /* of the random numbers */
    uint32_t *data;
    uint64_t words;   /* of the data array */
    const void *code; /* a RET at the beginning of each slot */
    uint64_t slots;
    uint64_t loads; /* loads and stores, by chance, to be made */
    uint64_t calls; /* to be made */
    uint64_t padding;
};

void accesses_run(struct accesses *accesses);

#endif
#endif
