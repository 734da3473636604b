/* Consistent Overhead Byte Stuffing (Cheshire, Baker 1999): no zero byte inside a frame. */
#ifndef LINK_COBS_H
#define LINK_COBS_H

#include <stddef.h>
#include <stdint.h>

/* Room that `length` bytes need when encoded, without the zero that ends the frame. */
#define COBS_ENCODED_SIZE(length) ((length) + (length) / 254 + 1)

/* Encodes; returns the number of bytes written. */
size_t cobs_encode(const uint8_t *bytes, size_t length, uint8_t *encoded);

#define COBS_INVALID SIZE_MAX

/* Decodes in place is allowed (decoded == encoded). Returns the number of bytes written, or
 * COBS_INVALID: a zero inside, or a block that ends after the frame. */
size_t cobs_decode(const uint8_t *encoded, size_t length, uint8_t *decoded);

#endif
