/* Handlers are found and called by jalmnxti, which is called again when they return. */
#include "stacks/clic/called.inc"

    .macro  SERVE
    csrrsi  ra, CSR_JALMNXTI, MIE
    .endm

    PATHS_BY_CALL
