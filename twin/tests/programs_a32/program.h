/* Interface for test programs of the Zynq-7000: registers, printing, handlers to set. It defines
 * test(). */
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;

#define REG(address) (*(volatile u32 *)(u32)(address))
#define BYTE(address) (*(volatile unsigned char *)(u32)(address))
/* Registers of coprocessor 15, as in MRC(c1, 0, c0, 0): CRn, opc1, CRm, opc2. */
#define MRC(crn, opc1, crm, opc2)                                                                  \
    ({                                                                                             \
        u32 value_;                                                                                \
        __asm__ volatile("mrc p15, " #opc1 ", %0, " #crn ", " #crm ", " #opc2 : "=r"(value_));     \
        value_;                                                                                    \
    })
#define MCR(crn, opc1, crm, opc2, value)                                                           \
    __asm__ volatile("mcr p15, " #opc1 ", %0, " #crn ", " #crm ", " #opc2::"r"((u32)(value))       \
                     : "memory")
#define ASM(text) __asm__ volatile(text::: "memory")
#define CPSR()                                                                                     \
    ({                                                                                             \
        u32 value_;                                                                                \
        __asm__ volatile("mrs %0, cpsr" : "=r"(value_));                                           \
        value_;                                                                                    \
    })

#define MPCORE 0xF8F00000
#define GICC (MPCORE + 0x100)
#define GICD (MPCORE + 0x1000)
#define GICC_IAR REG(GICC + 0x0C)
#define GICC_EOIR REG(GICC + 0x10)
#define L2 0xF8F02000
#define UART 0xE0001000
#define GPIO 0xE000A000
#define SLCR 0xF8000000

#define UNMASK_IRQ() ASM("cpsie i")
#define MASK_IRQ() ASM("cpsid i")
#define UNMASK_FIQ() ASM("cpsie f")

void test(void);
void core_main(void); /* core 1 */

/* One line: the value in hexadecimal. */
void print(u32 value);

/* Prints "." and sleeps for ever. */
void finish(void);

/* Handlers: of undefined instructions, SVC, aborts of fetch and data, IRQ, FIQ. `link`: LR and SPSR
 * at entry; its value at the end is the return address. */
struct entry {
    u32 link, spsr;
};
extern void (*volatile on_undefined)(struct entry *);
extern void (*volatile on_svc)(struct entry *);
extern void (*volatile on_prefetch)(struct entry *);
extern void (*volatile on_data)(struct entry *);
extern void (*volatile on_irq)(struct entry *);
extern void (*volatile on_fiq)(struct entry *);

/* Distributor and this core's interface on, priority mask open; secure interrupts are IRQs. */
void gic_start(void);

/* Priority 0xA0, on core 0, level or edge, enabled. */
void gic_use(u32 id, u32 edge);

/* Cycle counter. */
void counters_start(void);
#define CYCLES() MRC(c9, 0, c13, 0)

void start_core_1(void);

/* Gateware registers, by word address, through the EMIO port. */
void pl_start(void);
void pl_write(u32 word, u32 value);
u32 pl_read(u32 word);
