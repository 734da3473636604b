#include <string.h>

void *memset(void *to, int value, size_t size) {
    for (unsigned char *at = to; size; size--)
        *at++ = (unsigned char)value;
    return to;
}
