/* All of it that the kernel takes, where the compiler has no C library. */
#ifndef STRING_H
#define STRING_H

#include <stddef.h>

void *memset(void *to, int value, size_t size);

#endif
