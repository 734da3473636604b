/* The kernel includes it and uses size_t of it alone. */
#ifndef FREERTOS_STDLIB_H
#define FREERTOS_STDLIB_H

#include <stddef.h>

#endif
