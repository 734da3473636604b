/* The system trace macrocell, Arm's STM-500 (UG1087, module STM; UG1085 chapter 39; Arm IHI 0054):
 * it stamps edges of the PL's lines, and stores of software, with one counter.
 *
 * stm_event[n] of the PL is hardware event n. Events 63 to 30 are taken by their rising edge; the
 * gateware's are 39 to 32, event 32 + n that of line n. */
#ifndef MACHINE_ZYNQMP_STM_H
#define MACHINE_ZYNQMP_STM_H

#include <stdbool.h>
#include <stdint.h>

/* Part numbers of the STM-500, which UG1085 names, and of its predecessor. */
#define STM_PART_500 0x963
#define STM_PART_101 0x962

/* Source number of its bytes in the ETF's frames. */
#define STM_TRACE_ID 0x10

uint16_t stm_part(void);
uint32_t stm_auth_status(void); /* STMAUTHSTATUS */
uint32_t stm_features(void);    /* STMHEFEAT1R: hardware events */

/* Whether stores of secure software are traced (STMAUTHSTATUS.SNID). */
bool stm_traces_secure(void);

/* Sets up stimulus ports and, by the mask of lines, hardware events; leaves it off. */
void stm_prepare(unsigned lines);

/* The register that starts it by one store of STM_ENABLED: from then on it traces. */
volatile uint32_t *stm_control(void);
#define STM_TIMESTAMPS (1u << 1)
#define STM_DISABLED (STM_TRACE_ID << 16 | STM_TIMESTAMPS)
#define STM_ENABLED (STM_DISABLED | 1u)

/* Stops it; returns when its last byte has left. False: it stays busy. */
bool stm_disable(void);

#endif
