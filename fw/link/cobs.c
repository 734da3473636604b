#include "link/cobs.h"

#define BLOCK_FULL 0xFF /* 254 bytes without a zero, and none implied after them */

size_t cobs_encode(const uint8_t *bytes, size_t length, uint8_t *encoded) {
    size_t code_at = 0, written = 1;
    for (size_t i = 0; i < length; i++) {
        if (bytes[i] != 0)
            encoded[written++] = bytes[i];
        size_t code = written - code_at;
        /* A full block at the very end needs no empty one after it. */
        if (bytes[i] == 0 || (code == BLOCK_FULL && i + 1 < length)) {
            encoded[code_at] = (uint8_t)code;
            code_at = written++;
        }
    }
    encoded[code_at] = (uint8_t)(written - code_at);
    return written;
}

size_t cobs_decode(const uint8_t *encoded, size_t length, uint8_t *decoded) {
    size_t read = 0, written = 0;
    while (read < length) {
        size_t code = encoded[read++];
        if (code == 0 || code - 1 > length - read)
            return COBS_INVALID;
        for (size_t i = 1; i < code; i++) {
            if (encoded[read] == 0)
                return COBS_INVALID;
            decoded[written++] = encoded[read++];
        }
        if (code != BLOCK_FULL && read < length)
            decoded[written++] = 0;
    }
    return written;
}
