/* What the kernel expects of a C library: see lib/memory.h. */
#ifndef FREERTOS_STRING_H
#define FREERTOS_STRING_H

#include "lib/memory.h"

#endif
