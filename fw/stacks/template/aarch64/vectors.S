/* The way from the interrupt to template_dispatch, once for each marker set. Interrupts stay masked
 * on it. */
#include "arch/aarch64/vectors.inc"
#include "bound/addresses.h"

    /* The marker `vector`: one store as early as can be. The word of TPIDR_EL3 is not written back:
     * the handler's marker is the second of a pair (machine/marker.h). */
    .macro MARK_VECTOR
    mrs     x0, tpidr_el3
    mov     x1, #GPIO_BASE
    str     w0, [x1, #GPIO_MASK_DATA_3_LSW]
    .endm

    .macro CALL_DISPATCH
    SAVE_THE_REST
    bl      template_dispatch
    RESTORE_AND_RETURN
    .endm

    .macro PAPER
    SAVE_X0_X1
    CALL_DISPATCH
    .endm

    .macro STAGES
    SAVE_X0_X1
    MARK_VECTOR
    CALL_DISPATCH
    .endm

    VECTOR_TABLE vectors_template_paper, PAPER
    VECTOR_TABLE vectors_template_stages, STAGES
