/* A counter of the TTC interrupts 100 times a second, and its handler begins with a read of it.
 * With WITH_PWM another one interrupts 200 times. The main loop polls a flag in cached memory.
 * Interrupt 121 is a line of the PL, with which the instrument sees that the program runs. */
#include "xil_exception.h"
#include "xparameters.h"
#include "xscugic.h"
#include "xttcps.h"

#define TICK 1
#define PWM 0
#define TICK_INTERRUPT 69
#define PWM_INTERRUPT 68
#define LINE_INTERRUPT 121
#define PRESCALER 3         /* a step of 16 cycles of 10 ns, as the page has it */
#define TICK_INTERVAL 62500 /* 10 ms, as there */
#define PWM_INTERVAL 31250
#define PRINTED 6 /* ticks */
#define UART ((volatile unsigned *)STDOUT_BASEADDRESS)

static XScuGic gic;
static XTtcPs timers[2];
static volatile unsigned ticks, pwm_rounds, lines, flag;
static volatile unsigned counts[PRINTED];

void outbyte(char byte) { UART[0x30 / 4] = (unsigned char)byte; }
void __libc_init_array(void) {}
void __libc_fini_array(void) {}
void exit(int status) {
    for (;;)
        ;
}

static void print_number(unsigned value) {
    if (value >= 10)
        print_number(value / 10);
    outbyte((char)('0' + value % 10));
}

static void print_counts(void) {
    for (unsigned index = 0; index < PRINTED; index++) {
        print_number(index + 1);
        outbyte(' ');
        print_number(counts[index]);
        outbyte('\n');
    }
}

void on_tick(void *timer) {
    unsigned count = XTtcPs_GetCounterValue((XTtcPs *)timer);
    unsigned status = XTtcPs_GetInterruptStatus((XTtcPs *)timer);
    XTtcPs_ClearInterruptStatus((XTtcPs *)timer, status);
    if (ticks < PRINTED)
        counts[ticks] = count;
    ticks++;
    flag = 1;
}

void on_pwm(void *timer) {
    unsigned status = XTtcPs_GetInterruptStatus((XTtcPs *)timer);
    XTtcPs_ClearInterruptStatus((XTtcPs *)timer, status);
    pwm_rounds++;
}

void on_line(void *unused) { lines++; }

static void connect(unsigned interrupt, void (*handler)(void *), void *data) {
    XScuGic_Connect(&gic, interrupt, (Xil_InterruptHandler)handler, data);
    XScuGic_Enable(&gic, interrupt);
}

static void start(unsigned number, unsigned interval, unsigned interrupt, void (*handler)(void *)) {
    XTtcPs *timer = &timers[number];
    XTtcPs_Config *place = XTtcPs_LookupConfig(number);

    XTtcPs_CfgInitialize(timer, place, place->BaseAddress);
    XTtcPs_SetOptions(timer, XTTCPS_OPTION_INTERVAL_MODE | XTTCPS_OPTION_WAVE_DISABLE);
    XTtcPs_SetInterval(timer, interval);
    XTtcPs_SetPrescaler(timer, PRESCALER);
    connect(interrupt, handler, timer);
    XTtcPs_EnableInterrupts(timer, XTTCPS_IXR_INTERVAL_MASK);
    XTtcPs_Start(timer);
}

int main(void) {
    XScuGic_Config *config = XScuGic_LookupConfig(XPAR_SCUGIC_0_DEVICE_ID);

    UART[0] = 0x14; /* transmitter and receiver on */
    XScuGic_CfgInitialize(&gic, config, config->CpuBaseAddress);
    Xil_ExceptionRegisterHandler(XIL_EXCEPTION_ID_IRQ_INT,
                                 (Xil_ExceptionHandler)XScuGic_InterruptHandler, &gic);
    Xil_ExceptionEnable();
    XScuGic_SetPriorityTriggerType(&gic, LINE_INTERRUPT, 0xA0, 3);
    connect(LINE_INTERRUPT, on_line, 0);
    start(TICK, TICK_INTERVAL, TICK_INTERRUPT, on_tick);
#ifdef WITH_PWM
    start(PWM, PWM_INTERVAL, PWM_INTERRUPT, on_pwm);
#endif
    for (;;)
        if (flag) {
            flag = 0;
            if (ticks == PRINTED)
                print_counts();
        }
}
