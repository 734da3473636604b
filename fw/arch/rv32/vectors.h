/* Layout of a vector table for C and assembly (vectors.inc). */
#ifndef ARCH_RV32_VECTORS_H
#define ARCH_RV32_VECTORS_H

#define VECTOR_SOFTWARE 3 /* the cause of an interrupt that software raises for itself */
#define VECTOR_FIRST 16   /* the cause whose entry is the measured interrupt's */
#define VECTOR_COUNT 32
#define VECTOR_TABLE_SIZE 256 /* room for its instructions, and as many addresses */

/* Registers of a CLIC. */
#define CSR_MTVT 0x307
#define CSR_MNXTI 0x345
#define CSR_JALMNXTI 0x351

#endif
