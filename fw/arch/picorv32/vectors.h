/* Interrupts, for C and for assembly. A mask's bit is 1 if its interrupt is not taken. */
#ifndef ARCH_PICORV32_VECTORS_H
#define ARCH_PICORV32_VECTORS_H

#define VECTOR_FIRST 16 /* the measured interrupt */

#define IRQ_FAULTS 0x6          /* ebreak or an illegal instruction; a misaligned address */
#define IRQ_MASKED 0x1          /* nothing is connected there: the bit tells that all are masked */
#define IRQ_MASK_ALL 0xFFFFFFF9 /* all but faults, which would stop the core */
#define IRQ_NONE_ENABLED (IRQ_MASK_ALL - IRQ_MASKED)

#endif
