#include "lib/registers.h"

size_t registers_put(const struct named_register *from, size_t count, irq_register_t *to) {
    for (size_t i = 0; i < count; i++) {
        const char *name = from[i].name;
        for (size_t c = 0; c < sizeof to[i].name; c++)
            to[i].name[c] = *name == '\0' ? '\0' : *name++;
        to[i].value = from[i].value;
    }
    return count * sizeof *to;
}
