/* As fastirq, but that handlers nest. */
#include "stacks/soft/nested/nesting.inc"
#include "stacks/soft/fastirq/vectors.S"
