/* STM32F4: a rise at PA0 raises EXTI0; its handler drives PA1. Bare metal, no library, 16 MHz from
 * the internal oscillator, as the part starts. Register names and addresses: RM0383, RM0090. */
#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define RCC_AHB1ENR REGISTER(0x40023830u) /* bit 0: GPIOA */
#define RCC_APB2ENR REGISTER(0x40023844u) /* bit 14: SYSCFG */
#define GPIOA_MODER REGISTER(0x40020000u)
#define GPIOA_OSPEEDR REGISTER(0x40020008u)
#define GPIOA_PUPDR REGISTER(0x4002000Cu)
#define GPIOA_BSRR REGISTER(0x40020018u)
#define SYSCFG_EXTICR1 REGISTER(0x40013808u)
#define EXTI_IMR REGISTER(0x40013C00u)
#define EXTI_RTSR REGISTER(0x40013C08u)
#define EXTI_PR REGISTER(0x40013C14u)
#define NVIC_ISER0 REGISTER(0xE000E100u)

#define INPUT 0u
#define OUTPUT 1u
#define EXTI0_IRQ 6u

extern uint32_t call_stack_top; /* device.ld */

static void exti0_handler(void) {
    GPIOA_BSRR = 1u << OUTPUT; /* the first statement is the marker */
    EXTI_PR = 1u << INPUT;     /* an edge from here on is kept */
    GPIOA_BSRR = 1u << (OUTPUT + 16u);
}

static void stop(void) {
    for (;;) {
    }
}

void reset_handler(void) {
    RCC_AHB1ENR |= 1u;
    RCC_APB2ENR |= 1u << 14;
    GPIOA_PUPDR = (GPIOA_PUPDR & ~(3u << 2 * INPUT)) | 2u << 2 * INPUT; /* pulled down */
    GPIOA_OSPEEDR |= 3u << 2 * OUTPUT;
    GPIOA_MODER = (GPIOA_MODER & ~(3u << 2 * INPUT | 3u << 2 * OUTPUT)) | 1u << 2 * OUTPUT;
    SYSCFG_EXTICR1 &= ~0xFu; /* EXTI0 is PA0 */
    EXTI_RTSR |= 1u << INPUT;
    EXTI_IMR |= 1u << INPUT;
    NVIC_ISER0 = 1u << EXTI0_IRQ;
    for (;;)
        __asm volatile("wfi");
}

/* Exceptions 1 to 15, then interrupts from 0 on. Nothing else is enabled. */
__attribute__((section(".vectors"), used)) static const uintptr_t vectors[16 + EXTI0_IRQ + 1] = {
    [0] = (uintptr_t)&call_stack_top,
    [1] = (uintptr_t)reset_handler,
    [2] = (uintptr_t)stop, /* NMI */
    [3] = (uintptr_t)stop, /* hard fault */
    [16 + EXTI0_IRQ] = (uintptr_t)exti0_handler,
};
