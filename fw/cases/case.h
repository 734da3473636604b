/* Cases: what the measured core does while a batch runs. */
#ifndef CASES_CASE_H
#define CASES_CASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "generated/messages.h"

/* Core cycles of the software-timed cases. */
struct cycle_statistics {
    uint32_t count, min, max;
    uint64_t sum;
};

struct case_result {
    uint32_t idles; /* times that idling was begun */
    struct cycle_statistics cycles;
};

struct case_kind {
    uint8_t id;             /* enum irq_case_id */
    bool counted;           /* `count` repetitions are asked for: at least one */
    bool takes_interrupts;  /* the measured interrupt is enabled */
    bool ends_by_interrupt; /* the gateware's finished interrupt ends it */
    bool loopback;
    /* The gateware is armed, interrupts are masked. */
    void (*run)(const irq_case_request_t *request, struct case_result *result);
};

extern const struct case_kind case_latency;
extern const struct case_kind case_cal_loopback, case_cal_probe, case_cal_pending;
extern const struct case_kind case_cal_one_way_store, case_cal_one_way_echo;

/* Sets a case up on this core. False, with *field the offending field's index, if it cannot be. */
bool case_prepare(const irq_case_request_t *request, uint32_t *field);

bool case_is_set(void);

/* No case is set up any more. */
void case_forget(void);

/* Tells how a line is set: a level interrupt whose line its marker takes back ends only when that
 * line is low. */
void case_note_line(const irq_line_request_t *line);

/* Fills in what the hardware says is in force. */
void case_read_back(irq_case_reply_t *reply);

/* Runs one batch. */
void case_run_batch(irq_batch_reply_t *reply);

#endif
