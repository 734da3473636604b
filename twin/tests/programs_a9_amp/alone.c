/* In place of the demo's remoteproc.c: FreeRTOS runs alone, without Linux on the other core.
 * Sampling begins with the scheduler; interrupt 61, a line of the PL, counts and at last prints. */
#include "FreeRTOS.h"
#include "latencydemo.h"
#include "remoteproc.h"
#include "xparameters.h"

#define UART ((volatile unsigned *)STDOUT_BASEADDRESS)
#define STRONGLY_ORDERED 0xC02 /* as the demo's resource table maps its devices */
#define PRINT_AT 14            /* lines */

extern struct histogram *hist;
extern unsigned volatile int histogram_enable;
void Xil_SetTlbAttributes(unsigned address, unsigned attributes);
void stdio_lock_init(unsigned base, unsigned length);
void setupIRQhandler(int interrupt, void *handler, void *data);

static char trace[65536];
static unsigned lines;

void outbyte(char byte) { UART[0x30 / 4] = (unsigned char)byte; }
char inbyte(void) { return 0; }
void _init(void) {}
void _fini(void) {}

static void print_number(unsigned value) {
    if (value >= 10)
        print_number(value / 10);
    outbyte((char)('0' + value % 10));
}

static void print_row(unsigned ticks, unsigned count) {
    print_number(ticks);
    outbyte(' ');
    print_number(count);
    outbyte('\n');
}

void on_line(void *data) {
    if (++lines != PRINT_AT)
        return;
    for (unsigned ticks = 0; ticks < HISTOGRAM_SIZE; ticks++)
        if (hist->data[ticks])
            print_row(ticks, hist->data[ticks]);
    if (hist->out_count)
        print_row(HISTOGRAM_SIZE, (unsigned)hist->out_count);
}

void trace_init(void) { stdio_lock_init((unsigned)trace, sizeof trace); }

void mmu_resource_table_setup(void) {
    static const unsigned devices[] = {TTC_BASEADDR, STDOUT_BASEADDRESS, XPS_SCU_PERIPH_BASE};
    for (unsigned index = 0; index < 3; index++)
        Xil_SetTlbAttributes(devices[index], STRONGLY_ORDERED);
}

void Init_Uart(unsigned baud) { UART[0] = 0x14; } /* transmitter and receiver on */

void remoteproc_init(remoteproc_rx_callback *handler) {}

void remoteproc_init_irqs(void) {
    setupIRQhandler(61, on_line, 0);
    histogram_enable = 1;
}

void remoteproc_request_ack(struct remoteproc_request *request) {}
void remoteproc_request_response(struct remoteproc_request *request, unsigned char *data,
                                 unsigned length) {}
