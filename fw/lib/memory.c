/* The four functions that a C compiler calls by itself in a freestanding program. Built with
 * -fno-builtin, or the loops below would be turned into calls of themselves. */
#include "lib/memory.h"

#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t length) {
    uint8_t *target = to;
    const uint8_t *source = from;
    while (length-- > 0)
        *target++ = *source++;
    return to;
}

void *memmove(void *to, const void *from, size_t length) {
    uint8_t *target = to;
    const uint8_t *source = from;
    if (target < source)
        return memcpy(to, from, length);
    while (length-- > 0)
        target[length] = source[length];
    return to;
}

void *memset(void *to, int value, size_t length) {
    uint8_t *target = to;
    while (length-- > 0)
        *target++ = (uint8_t)value;
    return to;
}

int memcmp(const void *left, const void *right, size_t length) {
    const uint8_t *a = left;
    const uint8_t *b = right;
    for (; length > 0; length--, a++, b++)
        if (*a != *b)
            return *a - *b;
    return 0;
}
