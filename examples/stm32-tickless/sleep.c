/* Tickless idle: STOP, from which the alarm of the RTC or an edge wakes. The RTC counts LSE, 32768
 * a second, in its subseconds; ST RM0383, chapters 5 and 17. */
#include "FreeRTOS.h"
#include "chip.h"
#include "task.h"

#if configUSE_TICKLESS_IDLE

#define SYST_CSR REGISTER(0xE000E010)
#define SYST_RVR REGISTER(0xE000E014)
#define SYST_CVR REGISTER(0xE000E018)
#define SCB_SCR REGISTER(0xE000ED10)
#define RTC_CR REGISTER(0x40002808)
#define RTC_ISR REGISTER(0x4000280C)
#define RTC_PRER REGISTER(0x40002810)
#define RTC_ALRMAR REGISTER(0x4000281C)
#define RTC_WPR REGISTER(0x40002824)
#define RTC_SSR REGISTER(0x40002828)
#define RTC_TAFCR REGISTER(0x40002840)
#define RTC_ALRMASSR REGISTER(0x40002844)

#define SECOND 32768u
#define LONGEST 900u /* ticks, below a second */
#define SLEEPDEEP (1u << 2)
#define ALRAE (1u << 8)
#define ALRAF (1u << 8)

static volatile int rtc_counts;

void start_rtc(void) {
    PWR_CR |= 1u << 8;   /* DBP */
    RCC_BDCR |= 1u << 0; /* LSE */
}

void use_rtc(void) {
    RCC_BDCR |= 1u << 8 | 1u << 15; /* RTC by LSE, on */
    RTC_WPR = 0xCA;
    RTC_WPR = 0x53;
    RTC_ISR |= 1u << 7; /* INIT */
    while (!(RTC_ISR & 1u << 6)) {
    }
    RTC_PRER = SECOND - 1; /* the second one is a store of its own, as the manual says */
    RTC_PRER = SECOND - 1;
    RTC_CR = 1u << 5 | 1u << 12 | 1u << 21; /* BYPSHAD, ALRAIE, alarm A at PC13, */
    RTC_TAFCR = 1u << 18;                   /* which it drives high and low */
    RTC_ISR &= ~(1u << 7);
    RTC_ALRMAR = 0x80808080; /* of the time nothing is compared but the subseconds */
    EXTI_RTSR |= RTC_ALARM_LINE;
    EXTI_IMR |= RTC_ALARM_LINE;
    NVIC_IPR(RTC_ALARM_IRQ) = 0x80;
    NVIC_ISER1 = 1u << (RTC_ALARM_IRQ - 32);
    rtc_counts = 1;
}

/* Counts down; read until it is the same twice, since it may change meanwhile. */
static uint32_t subseconds(void) {
    uint32_t first, second = RTC_SSR;
    do {
        first = second;
        second = RTC_SSR;
    } while (first != second);
    return second;
}

static void clear_alarm(void) {
    RTC_ISR = ~ALRAF & ~(1u << 7);
    EXTI_PR = RTC_ALARM_LINE;
}

void on_alarm(void) { clear_alarm(); }

static void set_alarm(uint32_t subsecond) {
    RTC_CR &= ~ALRAE;
    while (!(RTC_ISR & 1u << 0)) { /* ALRAWF */
    }
    RTC_ALRMASSR = 15u << 24 | subsecond;
    RTC_CR |= ALRAE;
}

void vPortSuppressTicksAndSleep(TickType_t expected) {
    uint32_t tick = configCPU_CLOCK_HZ / configTICK_RATE_HZ;
    __asm__ volatile("cpsid i\n dsb\n isb" ::: "memory");
    if (eTaskConfirmSleepModeStatus() == eAbortSleep || !rtc_counts) {
        if (!rtc_counts)
            __asm__ volatile("wfi"); /* with the tick on */
        __asm__ volatile("cpsie i" ::: "memory");
        return;
    }
    if (expected > LONGEST)
        expected = LONGEST;
    SYST_CSR = 4 | 2; /* the tick off */
    uint32_t before = subseconds();
    set_alarm((before - expected * SECOND / configTICK_RATE_HZ) % SECOND);
    SCB_SCR |= SLEEPDEEP;
    __asm__ volatile("dsb\n wfi\n isb" ::: "memory");
    raise_pin(WAKE_UP);
    RTC_CR &= ~ALRAE;
    SCB_SCR &= ~SLEEPDEEP;
    set_clocks();
    raise_pin(OSCILLATOR);
    uint32_t passed = (before - subseconds()) % SECOND * configTICK_RATE_HZ;
    uint32_t ticks = passed / SECOND;
    /* The first tick is shorter by what has passed of it. */
    SYST_RVR = tick - 1 - (uint32_t)((uint64_t)(passed % SECOND) * (tick - 2) / SECOND);
    SYST_CVR = 0;
    SYST_CSR = 4 | 2 | 1;
    SYST_RVR = tick - 1;
    /* What passed beyond the expected ticks, while the oscillator started, the kernel never counts.
     */
    vTaskStepTick(ticks < expected ? ticks : expected);
    __asm__ volatile("cpsie i" ::: "memory");
}

#else

void start_rtc(void) {}
void use_rtc(void) {}
void on_alarm(void) {}

#endif
