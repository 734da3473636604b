/* Bare metal's vectors, with handlers that nest. */
#include "stacks/soft/nested/nesting.inc"
#include "stacks/baremetal/rv32/vectors.S"
