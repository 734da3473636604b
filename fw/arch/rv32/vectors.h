/* Of a vector table (vectors.inc), for C and for assembly. */
#ifndef ARCH_RV32_VECTORS_H
#define ARCH_RV32_VECTORS_H

#define VECTOR_FIRST 16 /* the cause whose entry is the measured interrupt's */

/* With a CLIC: mtvt, and what is behind the entries of a table, their addresses. Which of them a
 * core wants is told by a bit of clicinfo.version: the draft has addresses, CV32E40P can only
 * execute. */
#define CSR_MTVT 0x307
#define CSR_MNXTI 0x345
#define CSR_JALMNXTI 0x351
#define CLIC_OF_ADDRESSES 13
#define VECTOR_ADDRESSES 128
#define VECTOR_TABLE_SIZE 256

#endif
