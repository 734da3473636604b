/* The gateware's register space: word addresses, 32-bit words.
 *
 * The first access that is not acknowledged in time makes the port fail: later accesses do nothing
 * and read 0 until port_recover, so that a request can be carried out without a test after each
 * access and is refused as a whole at its end. */
#ifndef MACHINE_PORT_H
#define MACHINE_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "generated/irqscope_regs.h"

/* Word address of a member of irqscope_t. */
#define PORT_WORD(member) ((unsigned)offsetof(irqscope_t, member) / 4)

/* Word address of a member of element `index` of an array of irqscope_t. */
#define PORT_ELEMENT_WORD(array, index, member)                                                    \
    (PORT_WORD(array[0].member) + (index) * (PORT_WORD(array[1]) - PORT_WORD(array[0])))

/* Takes the request's level from the pins, as the gateware may have seen a 1 before a restart. */
void port_init(void);

uint32_t port_read(unsigned word);
void port_write(unsigned word, uint32_t value);

/* Writes a word and returns what it read before. */
uint32_t port_exchange(unsigned word, uint32_t value);

/* Reads two words, low first: they are stable while the gateware is disarmed. */
uint64_t port_read64(unsigned word);
void port_write64(unsigned word, uint64_t value);

/* The gateware's clock; it is read high, low, high because it runs on. */
uint64_t port_now(void);

/* These need no access through the port: whether an error is set, whether the batch has
 * finished, and the level of a core's marker toggle as it came back. */
static inline bool port_has_error(void);
static inline bool port_has_finished(void);
static inline uint32_t port_echo(unsigned core);

/* True once an access was not acknowledged; *word is its address. */
bool port_failed(unsigned *word);

/* Makes the port fail because a wait for that word was in vain. */
void port_give_up(unsigned word);
void port_recover(void);

#include "bound/port.h"

/* How much longer than on a bare core an access, or what software does around it, may take: for
 * margins and for bounds of waits. */
#ifndef PORT_TIME_FACTOR
#define PORT_TIME_FACTOR 1
#endif

#endif
