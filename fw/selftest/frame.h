/* What the tests share: a handler that logs what it sees, and the frame of a test. */
#ifndef SELFTEST_FRAME_H
#define SELFTEST_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/irq.h"

#define LOW_PRIORITY 0xA0
#define HIGH_PRIORITY 0x80

/* Shared interrupts of the machine, one after the other. */
#define SPI_A IRQ_SHARED_LOW
#define SPI_B (IRQ_SHARED_LOW + 1)
#define SPI_C (IRQ_SHARED_LOW + 2)

#define LEFT 0x8000 /* or-ed to an ID: its handler ended */

extern volatile unsigned entry_count;
extern void (*volatile in_handler)(unsigned id);

/* What a core other than 0 does with an interrupt; set before one of them starts. */
extern void (*volatile on_other_core)(unsigned core, uint32_t iar);

/* Interrupts are taken a moment after what raised them: waits for `count` entries, bounded. */
void wait_for_entries(unsigned count);

/* Long enough for anything to be taken that is going to be. */
void wait_for_nothing(void);

void check_entry(const char *what, unsigned index, uint32_t expected);

/* A level that is still seen high when its interrupt ends fires again. */
void wait_until_low(unsigned id);

void begin(const char *name);
void end(unsigned expected_entries);
void use(unsigned id, uint8_t priority, enum irq_sense trigger);

#endif
