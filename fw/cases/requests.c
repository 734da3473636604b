#include "cases/requests.h"

#include "cases/requests/each.h"

const struct link_request requests[] = {
    {IRQ_KIND_HELLO, sizeof(irq_hello_request_t), request_hello},
    {IRQ_KIND_BAUD, sizeof(irq_baud_request_t), request_baud},
    {IRQ_KIND_STACK, 0, request_stack},
    {IRQ_KIND_CLEAR, 0, request_clear},
    {IRQ_KIND_LINE, sizeof(irq_line_request_t), request_line},
    {IRQ_KIND_CHANNEL, sizeof(irq_channel_request_t), request_channel},
    {IRQ_KIND_PIN, sizeof(irq_pin_request_t), request_pin},
    {IRQ_KIND_RECORDER, sizeof(irq_recorder_request_t), request_recorder},
    {IRQ_KIND_CASE, sizeof(irq_case_request_t), request_case},
#if MACHINE_HAS_LOCKDOWN
    {IRQ_KIND_LOCK, sizeof(irq_lock_request_t), request_lock},
#endif
    {IRQ_KIND_CORE, sizeof(irq_core_request_t), request_core},
    {IRQ_KIND_BACKGROUND, sizeof(irq_background_request_t), request_background},
    {IRQ_KIND_CODE_UNDER_TEST, sizeof(irq_code_under_test_request_t), request_code_under_test},
    {IRQ_KIND_BATCH, sizeof(irq_batch_request_t), request_batch},
    {IRQ_KIND_COUNTERS, sizeof(irq_counters_request_t), request_counters},
    {IRQ_KIND_LINE_STATUS, sizeof(irq_line_status_request_t), request_line_status},
    {IRQ_KIND_HISTOGRAM, sizeof(irq_histogram_request_t), request_histogram},
    {IRQ_KIND_RECORDS, sizeof(irq_records_request_t), request_records},
    {IRQ_KIND_PLACES, sizeof(irq_places_request_t), request_places},
    {IRQ_KIND_PL_STATE, 0, request_pl_state},
    {IRQ_KIND_BUILD, 0, request_build},
    {IRQ_KIND_CLOCKS, sizeof(irq_clocks_request_t), request_clocks},
    {IRQ_KIND_WATCH, sizeof(irq_watch_request_t), request_watch},
    {IRQ_KIND_SEND, sizeof(irq_send_request_t), request_send},
    {IRQ_KIND_ECHO, sizeof(irq_echo_request_t), request_echo},
    {IRQ_KIND_STM, 0, request_stm},
    {IRQ_KIND_TRACE, sizeof(irq_trace_request_t), request_trace},
};
const size_t request_count = sizeof requests / sizeof requests[0];
