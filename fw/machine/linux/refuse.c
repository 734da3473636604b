#include "machine/linux/refuse.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void refuse(const char *what, const char *which) {
    (void)fprintf(stderr, "irqscope-agent: %s%s%s\n", what, *which != '\0' ? ": " : "", which);
    exit(2);
}
