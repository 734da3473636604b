/* The system has a single core, so there is no other core to give work to. */
#include "machine/cores.h"

#include "machine/fault.h"
#include "machine/irq.h"

void parking_start(unsigned cores) { (void)cores; }
unsigned parking_cores(void) { return 1; }
void parking_give(unsigned core, parking_work_t work, uintptr_t argument) {
    (void)core;
    (void)work;
    (void)argument;
}
void parking_ready(void) {}
void parking_wait_ready(unsigned core) { (void)core; }
void parking_wait(unsigned core) { (void)core; }
void parking_stop(void) {}
void parking_abandon(void) {}
unsigned parking_take_stuck(void) { return 0; }
_Noreturn void parking_fault(uint64_t esr, uint64_t elr) {
    (void)esr;
    (void)elr;
    fault_entry();
}
