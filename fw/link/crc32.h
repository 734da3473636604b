#ifndef LINK_CRC32_H
#define LINK_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* CRC-32 of IEEE 802.3 (reflected, polynomial 0x04C11DB7), as zlib's. */
uint32_t crc32(const uint8_t *bytes, size_t length);

#endif
