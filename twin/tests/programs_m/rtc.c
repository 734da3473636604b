/* The RTC of an STM32F411 by LSI, 32 kHz, told line by line on a UART (test_m4_rtc.py). Each line
 * has a name and two numbers. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define PUT(c) (REGISTER(0x40011004) = (uint32_t)(c))
#define PWR_CR REGISTER(0x40007000)
#define RCC_BDCR REGISTER(0x40023870)
#define RCC_CSR REGISTER(0x40023874)
#define EXTI_IMR REGISTER(0x40013C00)
#define EXTI_RTSR REGISTER(0x40013C08)
#define EXTI_PR REGISTER(0x40013C14)
#define NVIC_ISER0 REGISTER(0xE000E100)
#define NVIC_ISER1 REGISTER(0xE000E104)
#define NVIC_ICER1 REGISTER(0xE000E184)
#define SCR REGISTER(0xE000ED10)
#define CYCCNT REGISTER(0xE0001004)
#define RTC(offset) REGISTER(0x40002800 + (offset))
#define TR RTC(0x00)
#define DR RTC(0x04)
#define CR RTC(0x08)
#define ISR RTC(0x0C)
#define PRER RTC(0x10)
#define WUTR RTC(0x14)
#define ALRMAR RTC(0x1C)
#define WPR RTC(0x24)
#define SSR RTC(0x28)
#define ALRMASSR RTC(0x44)
#define BKP0R RTC(0x50)
#define INIT (1u << 7)
#define INITF (1u << 6)
#define RSF (1u << 5)
#define WUTF (1u << 10)
#define ALRAF (1u << 8)

static void number(uint32_t value) {
    PUT(' ');
    for (int place = 28; place >= 0; place -= 4)
        PUT("0123456789abcdef"[value >> place & 15]);
}
static void say(const char *name, uint32_t first, uint32_t second) {
    while (*name)
        PUT(*name++);
    number(first);
    number(second);
    PUT('\n');
}

volatile uint32_t alarms, wakeups, woken_at;

void on_alarm(void) {
    ISR = ~ALRAF & ~INIT;
    EXTI_PR = 1u << 17;
    woken_at = SSR;
    alarms++;
}
void on_wakeup(void) {
    ISR = ~WUTF & ~INIT;
    EXTI_PR = 1u << 22;
    wakeups++;
}

/* Cycles of HSI, 16 MHz, until a bit of RTC_ISR is set. */
static uint32_t until(uint32_t bit) {
    uint32_t begin = CYCCNT;
    while (!(ISR & bit)) {
    }
    return CYCCNT - begin;
}

static void set(uint32_t time, uint32_t date) {
    ISR = INIT;
    until(INITF);
    TR = time;
    DR = date;
    ISR = 0;
    until(RSF);
}

static uint32_t seconds(void) {
    uint32_t time = TR;
    (void)DR;
    return time;
}

__attribute__((noreturn, used)) void done(void) {
    for (;;)
        __asm volatile("wfi");
}

__attribute__((noreturn)) void start(void) {
    REGISTER(0x40023844) |= 1u << 4; /* USART1 */
    REGISTER(0x4001100C) = 0x2008;
    REGISTER(0x40023840) |= 1u << 28; /* PWR */
    REGISTER(0xE000EDFC) |= 1u << 24; /* DWT */
    REGISTER(0xE0001000) |= 1;
#ifdef NO_CLOCK
    PWR_CR |= 1u << 8;
    WPR = 0xCA;
    WPR = 0x53;
    ISR |= INIT;
    until(INITF);
#endif

    RCC_CSR |= 1;
    while (!(RCC_CSR & 2)) {
    }
    RCC_BDCR = 2u << 8 | 1u << 15;
    BKP0R = 1;
    say("without DBP", RCC_BDCR, BKP0R);
    PWR_CR |= 1u << 8;
    RCC_BDCR = 2u << 8 | 1u << 15;
    RCC_BDCR = 1u << 8 | 1u << 15; /* another source: not without BDRST */
    BKP0R = 0x1234;
    say("with DBP", RCC_BDCR, BKP0R);
    say("reset", ISR & 7, PRER);

    ISR = INIT;
    CR = 1u << 5;
    say("locked", ISR & INIT, CR);
    WPR = 0xCA;
    WPR = 0x53;
    TR = 0x111111;
    say("not in initialization", seconds() & ~0x7F, 0);
    ISR = INIT;
    say("INITF after", until(INITF), ISR & RSF);
    PRER = 31;
    PRER = 31; /* a "second" is 1 ms: 32000 Hz / 1 / 32 */
    ISR = 0;
    say("RSF after", until(RSF), 0);

    /* Over the end of February of a leap year, and of the century. */
    set(0x235959, 0x240000 | 3u << 13 | 0x0228); /* a Wednesday */
    CR |= 1u << 5;
    while (TR == 0x235959) {
    }
    say("leap day", TR, DR);
    CR &= ~(1u << 5);
    set(0x235959, 0x990000 | 5u << 13 | 0x1231);
    CR |= 1u << 5;
    while (TR == 0x235959) {
    }
    say("century", TR, DR);
    CR &= ~(1u << 5);

    /* DR is locked from the read of TR on. */
    set(0x235959, 0x230000 | 1u << 13 | 0x0101);
    say("before", TR, 0);
    CR |= 1u << 5;
    while (TR == 0x235959) {
    }
    CR &= ~(1u << 5);
    say("date held", DR, DR);

    /* The period of the timer, in cycles, 8 of RTCCLK / 16. */
    CR &= ~(1u << 10);
    say("WUTWF", ISR >> 2 & 1, 0);
    WUTR = 7;
    EXTI_RTSR = 1u << 17 | 1u << 22;
    EXTI_IMR = 1u << 17 | 1u << 22;
    NVIC_ISER0 = 1u << 3;
    CR |= 1u << 10 | 1u << 14;
    while (!wakeups) {
    }
    uint32_t begin = CYCCNT;
    while (wakeups < 3) {
    }
    say("two periods", CYCCNT - begin, 0);
    WUTR = 3;
    say("while WUTE", WUTR, ISR >> 2 & 1);
    CR &= ~(1u << 10 | 1u << 14);

    /* Alarm A from STOP: at a second and subsecond. */
    set(0x120000, 0x240000 | 3u << 13 | 0x0228);
    ALRMASSR = 15u << 24 | 12; /* 19 / 32 of a second */
    ALRMAR = 1u << 31 | 0x120001;
    CR |= 1u << 5 | 1u << 8 | 1u << 12;
    NVIC_ISER1 = 1u << 9;
    SCR = 4;
    while (!alarms)
        __asm volatile("wfi");
    say("alarm in STOP", TR, woken_at);
    /* By WFE, with the interrupt off in the NVIC: it pends, which SEVONPEND makes an event. */
    NVIC_ICER1 = 1u << 9;
    SCR = 1u << 4 | 4;
    ISR = ~ALRAF & ~INIT;
    EXTI_PR = 1u << 17;
    REGISTER(0xE000E284) = 1u << 9;
    CR &= ~(1u << 8);
    until(1);
    ALRMAR = 0x80808080; /* of the time nothing is compared */
    CR |= 1u << 8;
    __asm volatile("sev\n wfe\n wfe");
    say("event in STOP", ISR & ALRAF, alarms);
    ISR = ~ALRAF & ~INIT;
    EXTI_PR = 1u << 17;
    REGISTER(0xE000E284) = 1u << 9; /* no longer pending */
    NVIC_ISER1 = 1u << 9;
    SCR = 4;
    PWR_CR |= 1u << 9 | 1; /* FPDS, LPDS: a slower start */
    for (alarms = 0; !alarms;) {
        CR &= ~(1u << 8);
        until(1);
        ALRMAR = 0x80808080; /* of the time nothing is compared */
        CR |= 1u << 8;
        __asm volatile("wfi");
    }
    say("alarm in slow STOP", 0, woken_at);
    SCR = 0;
    ALRMAR = 0;
    say("ALRMAR while ALRAE", ALRMAR, ISR & 1);
    CR &= ~(1u << 8);
    say("ALRAWF after", until(1), 0);

    /* 12 hours, and daylight saving time. */
    ISR = INIT;
    until(INITF);
    CR |= 1u << 6;
    TR = 1u << 22 | 0x120000; /* 12 PM */
    ISR = 0;
    until(1);
    CR |= 1u << 16; /* ADD1H */
    say("1 PM", TR >> 16, CR >> 16 & 3);

    RCC_BDCR = 1u << 16;
    say("BDRST", BKP0R, PRER);
    const char *last = "end\n";
    while (*last)
        PUT(*last++);
    done();
}

__attribute__((section(".vectors"), used, aligned(256))) uint32_t vectors[16 + 42] = {
    0x20010000,
    (uint32_t)start,
    [16 + 3] = (uint32_t)on_wakeup,
    [16 + 41] = (uint32_t)on_alarm,
};
