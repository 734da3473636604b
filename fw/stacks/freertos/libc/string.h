/* What the kernel expects of a C library: see soc/memory.h. */
#ifndef FREERTOS_STRING_H
#define FREERTOS_STRING_H

#include "soc/memory.h"

#endif
