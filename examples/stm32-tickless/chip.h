/* Registers of an STM32F411, ST RM0383, and the program's pins. */
#ifndef CHIP_H
#define CHIP_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define PWR_CR REGISTER(0x40007000)
#define EXTI_IMR REGISTER(0x40013C00)
#define EXTI_RTSR REGISTER(0x40013C08)
#define EXTI_PR REGISTER(0x40013C14)
#define GPIOB_MODER REGISTER(0x40020400)
#define GPIOB_BSRR REGISTER(0x40020418)
#define RCC_CR REGISTER(0x40023800)
#define RCC_PLLCFGR REGISTER(0x40023804)
#define RCC_CFGR REGISTER(0x40023808)
#define RCC_AHB1ENR REGISTER(0x40023830)
#define RCC_APB1ENR REGISTER(0x40023840)
#define RCC_APB2ENR REGISTER(0x40023844)
#define RCC_BDCR REGISTER(0x40023870)
#define FLASH_ACR REGISTER(0x40023C00)
#define NVIC_ISER0 REGISTER(0xE000E100)
#define NVIC_ISER1 REGISTER(0xE000E104)
#define NVIC_IPR(number) (*(volatile uint8_t *)(0xE000E400 + (number)))

#define EXTI0_IRQ 6
#define RTC_ALARM_IRQ 41
#define RTC_ALARM_LINE (1u << 17) /* of EXTI */

/* Port B: the four signals of the article. */
enum { TICK = 12, WAKE_UP, OSCILLATOR, TASK };

static inline void raise_pin(unsigned pin) { GPIOB_BSRR = 1u << pin; }
static inline void lower_pin(unsigned pin) { GPIOB_BSRR = 1u << (pin + 16); }

void set_clocks(void);
void start_rtc(void);
void use_rtc(void);

#endif
