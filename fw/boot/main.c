/* The instrument's firmware: serves the link until power-off. */
#include "cases/case.h"
#include "cases/parts/sleeping.h"
#include "cases/requests.h"
#include "link/link.h"
#include "machine/cores.h"
#include "machine/counter.h"
#include "machine/cpu.h"
#include "machine/fault.h"
#include "machine/irq.h"
#include "machine/port.h"
#include "machine/start.h"
#include "machine/uart.h"
#include "stacks/load.h"
#include "stacks/stack.h"

#define PRIORITY_UART 0xE0

static struct link link;
static bool baud_unproven; /* no good frame has come at this rate yet */
static bool reporting_fault;

static void set_up_interrupts(void) {
    irq_init_distributor();
    irq_init_core();
    irq_configure(IRQ_LINK, PRIORITY_UART, 1, IRQ_BY_LEVEL);
    irq_enable(IRQ_LINK);
}

static void send_answer(void) {
    uart_send(link.answer, link.answer_length);
    uint32_t baud = requests_take_baud();
    if (baud != 0) {
        uart_drain();
        uart_set_baud(baud);
        baud_unproven = true;
    }
}

/* The other side is not at the rate that it asked for. */
static void fall_back(void) {
    if (baud_unproven)
        uart_set_baud(IRQ_BAUD_AT_RESET);
    baud_unproven = false;
}

static void serve(void) {
    for (;;) {
        bool damaged = false;
        uint8_t byte = uart_receive(&damaged);
        if (damaged) {
            link_damage(&link.receiver);
            fall_back();
        }
        struct link_frame frame;
        switch (link_receive(&link.receiver, byte, &frame)) {
        case LINK_FRAME:
            baud_unproven = false;
            link_answer(&link, &frame);
            send_answer();
            break;
        case LINK_REJECTED:
            fall_back();
            break;
        case LINK_NOTHING:
            break;
        }
    }
}

static _Noreturn void start(void) {
    stack_load();
    stack_start(serve);
}

_Noreturn void fault_report(uint64_t offset, uint64_t esr, uint64_t elr, uint64_t far) {
    (void)offset;
    (void)far;
    if (cpu_number() != 0)
        parking_fault(esr, elr);
    if (!reporting_fault) {
        reporting_fault = true;
        irq_error_t error = {IRQ_ERROR_CODE_FAULT, (uint32_t)esr, (uint32_t)elr};
        unsigned core = parking_take_stuck();
        if (core != 0)
            error = (irq_error_t){IRQ_ERROR_CODE_CORE_STUCK, core, 0};
        case_forget();
        set_up_interrupts();
        link_answer_error(&link, error);
        send_answer();
        reporting_fault = false;
        start();
    }
    /* A fault while reporting one: the link is of no use any more. */
    for (;;)
        wait_for_interrupt();
}

_Noreturn void main(void) {
    counter_start_system();
    counter_start_cycles();
    port_init();
    set_up_interrupts();
    uart_init();
    uart_set_baud(IRQ_BAUD_AT_RESET);
    uint32_t cpu_hz = counter_measure_cpu_hz();
    requests_set_clocks(cpu_hz, cpu_hz != 0 && sleeping_can_end());
    link.requests = requests;
    link.request_count = request_count;
    system_errors_unmask();
    start();
}
