/* The gateware's register space behind the EMIO port: word addresses, 32-bit words.
 *
 * The first access that is not acknowledged in time makes the port fail: later accesses do nothing
 * and read 0 until emio_recover, so that a request can be carried out without a test behind each
 * access and is refused as a whole at its end. */
#ifndef SOC_EMIO_H
#define SOC_EMIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "generated/irqscope_regs.h"

/* Word address of a member of irqscope_t. */
#define EMIO_WORD(member) ((unsigned)offsetof(irqscope_t, member) / 4)

/* The same for a member of element `index` of an array of irqscope_t. */
#define EMIO_ELEMENT_WORD(array, index, member)                                                    \
    (EMIO_WORD(array[0].member) + (index) * (EMIO_WORD(array[1]) - EMIO_WORD(array[0])))

/* Takes the request's level from the pins: after a restart the gateware may have seen a 1 last. */
void emio_init(void);

uint32_t emio_read(unsigned word);
void emio_write(unsigned word, uint32_t value);

/* Two words, low first: stable while the gateware is disarmed. */
uint64_t emio_read64(unsigned word);
void emio_write64(unsigned word, uint64_t value);

/* The gateware's clock; read high, low, high because it runs on. */
uint64_t emio_now(void);

/* Input pins of bank 3 (EMIO__BANK3_IN__*), without an access through the port. */
uint32_t emio_pins(void);

/* True once an access was not acknowledged; *word is its address. */
bool emio_failed(unsigned *word);

/* Makes the port fail for what was waited for in vain in that word. */
void emio_give_up(unsigned word);
void emio_recover(void);

#endif
