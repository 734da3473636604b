/* Interface for test programs: registers, printing, and handlers to set. It defines test(). */
#pragma once

typedef unsigned int u32;
typedef unsigned long u64;

#define REG(address) (*(volatile u32 *)(u64)(address))
#define BYTE(address) (*(volatile unsigned char *)(u64)(address))
#define MRS(name)                                                                                  \
    ({                                                                                             \
        u64 value_;                                                                                \
        __asm__ volatile("mrs %0, " name : "=r"(value_));                                          \
        value_;                                                                                    \
    })
#define MSR(name, value) __asm__ volatile("msr " name ", %0" ::"r"((u64)(value)) : "memory")
#define ASM(text) __asm__ volatile(text::: "memory")

#define GICD 0xF9010000
#define GICC 0xF9020000
#define GICC_IAR REG(GICC + 0x0C)
#define GICC_EOIR REG(GICC + 0x10)
#define UART 0xFF000000
#define GPIO 0xFF0A0000
#define SCNTRS 0xFF260000

#define SCR_IRQ 2
#define SCR_FIQ 4
#define SCR_RW 0x400
#define UNMASK_IRQ() ASM("msr daifclr, #2")
#define MASK_IRQ() ASM("msr daifset, #2")

void test(void);
void core_main(void); /* cores 1 to 3 */

/* One line: the value in hexadecimal. */
void print(u64 value);

/* Prints "." and sleeps for ever. */
void finish(void);

extern void (*volatile on_irq)(void);
extern void (*volatile on_fiq)(void);
extern void (*volatile on_sync)(void);
extern void (*volatile on_sync_sp0)(void);

/* Distributor and this core's interface on, priority mask open, IRQ routed to EL3. */
void gic_start(void);

/* Priority 0xA0, on core 0, level or edge, enabled. */
void gic_use(u32 id, u32 edge);

/* System counter and cycle counter. */
void counters_start(void);
#define CYCLES() MRS("pmccntr_el0")

/* Both of the above, and the secure physical timer's interrupt, PPI 29, enabled. */
void timer_interrupt_start(void);

void start_core(u32 core);

/* Gateware registers, by word address, through the EMIO port. */
void pl_start(void);
void pl_write(u32 word, u32 value);
u32 pl_read(u32 word);
