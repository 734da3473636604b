/* The vectors of fastirq, with handlers that nest. */
#include "stacks/soft/nested/nesting.inc"
#include "stacks/soft/fastirq/vectors.S"
