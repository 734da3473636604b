/* What C and assembly know of a vector table (vectors.inc). */
#ifndef ARCH_RV32_VECTORS_H
#define ARCH_RV32_VECTORS_H

#define VECTOR_SOFTWARE 3 /* the cause of an interrupt that software raises for itself */
#define VECTOR_FIRST 16   /* the cause whose entry is the measured interrupt's */

/* Registers of a CLIC. Its table, too, holds instructions, which is what CV32E40P can do with it;
 * the draft has addresses. */
#define CSR_MTVT 0x307
#define CSR_MNXTI 0x345
#define CSR_JALMNXTI 0x351
#define VECTOR_TABLE_SIZE 256

#endif
