/* As fastirq, but handlers nest. */
#include "stacks/soft/nested/nesting.inc"
#include "stacks/soft/fastirq/vectors.S"
