/* Parts of cases that one thread under Linux has no use for: a warm-up and background interrupts
 * need interrupts that software raises, and the other parts need further cores. Requests for them
 * are refused before anything of it is called (cases/validity.c). */
#include "cases/parts/background.h"
#include "cases/parts/handling.h"
#include "cases/parts/raising.h"
#include "cases/parts/warm_up.h"
#include "cases/placement.h"
#include "machine/programs.h"

void background_forget(void) { programs_stop(); }
const irq_background_tail_t *background_chosen(unsigned *count) {
    *count = 0;
    return NULL;
}

void handling(uintptr_t request) { (void)request; }
void handling_begin(uintptr_t request) { (void)request; }
void handling_end(uintptr_t request) { (void)request; }
void handling_zero_counts(void) {}
const struct stack_core *handling_core(unsigned core) {
    (void)core;
    return stack_core();
}

void raising_all(uintptr_t request) { (void)request; }
void raising_one_by_one(uintptr_t request) { (void)request; }
void raising_start(const irq_case_request_t *request) { (void)request; }
uint64_t raising_count(void) { return 0; }

void warm_up_run(const irq_case_request_t *request, const struct case_kind *kind) {
    (void)request;
    (void)kind;
}
void warm_up_last(const irq_case_request_t *request) { (void)request; }
uint32_t warm_up_handled(unsigned core) {
    (void)core;
    return 0;
}
void warm_up_forget(void) {}

bool placement_set(const irq_code_under_test_request_t *request) {
    (void)request;
    return false;
}
size_t placement_read(uint32_t first, irq_places_reply_t *reply) {
    (void)first;
    *reply = (irq_places_reply_t){0};
    return sizeof *reply;
}
