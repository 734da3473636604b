/* Raw registers after a reply, each with its name. */
#ifndef LIB_REGISTERS_H
#define LIB_REGISTERS_H

#include <stddef.h>
#include <stdint.h>

#include "generated/messages.h"

/* Adds one register; the name is cut where it is longer than the field. */
struct named_register {
    const char *name;
    uint64_t value;
};

/* Writes `count` of them to `to`; returns the bytes that they take. */
size_t registers_put(const struct named_register *from, size_t count, irq_register_t *to);

#endif
