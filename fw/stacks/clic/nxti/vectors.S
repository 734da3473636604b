/* Handlers are found by mnxti, as the draft's example has it. */
#include "stacks/clic/called.inc"

/* mnxti gives the place of an entry, which is called. Interrupts are allowed anew for
 * the way back from the end of the path, where the draft looks once more; this one does not. */
    .macro  SERVE
    csrrsi  a0, CSR_MNXTI, MIE
    beqz    a0, path_leave
1:  csrsi   mstatus, MIE
    jalr    a0
    csrrsi  a0, CSR_MNXTI, MIE
    bnez    a0, 1b
    .endm

    PATHS_BY_CALL
