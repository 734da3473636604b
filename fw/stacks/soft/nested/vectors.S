/* As bare metal, but handlers nest. */
#include "stacks/soft/nested/nesting.inc"
#include "stacks/baremetal/rv32/vectors.S"
