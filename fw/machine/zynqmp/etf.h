/* The 8 KB trace memory after the second funnel (UG1087, module ETF8K; Arm DDI 0461): a circular
 * buffer that keeps the newest trace, read out when it has been stopped. */
#ifndef MACHINE_ZYNQMP_ETF_H
#define MACHINE_ZYNQMP_ETF_H

#include <stdbool.h>
#include <stdint.h>

#define ETF_PART 0x961
#define ETF_MEMORY_WORDS 2048u

uint16_t etf_part(void);

/* 32-bit words of its memory. */
uint32_t etf_memory_words(void);

/* Opens the funnel in front of it and begins an empty buffer. False: it does not become ready. */
bool etf_start(void);

/* Takes in data in transit and stops. Returns false if it does not stop. */
bool etf_stop(void);

/* After etf_stop: copies what it holds, oldest first, to `words`, which has ETF_MEMORY_WORDS, and
 * returns how many there are; *wrapped: older ones were overwritten. */
uint32_t etf_read(uint32_t *words, bool *wrapped);

#endif
