/* Base addresses of the Zynq-7000 devices that the firmware uses (UG585), and the few register
 * offsets that assembly needs. Plain numbers: included by C and by assembly. */
#ifndef MACHINE_ZYNQ7000_BOUND_ADDRESSES_H
#define MACHINE_ZYNQ7000_BOUND_ADDRESSES_H

/* DDR: the program is from 1 MB on (irqscope.ld). Below that lies on-chip memory, or nothing.
 */
#define DDR_FIRST 0x00100000
#define PAGE_TABLES_BASE 0x00800000 /* 1 MB: 4 KB pages of DDR, for either type of memory */
#define ARRAYS_BASE 0x08000000      /* what loads work on, up to the end */
#define DDR_END 0x20000000
#define OCM_BASE 0xFFFC0000 /* on-chip memory, 256 KB up to the end, where start-up maps it */
#define UART0_BASE 0xE0000000
#define UART1_BASE 0xE0001000
#define GPIO_BASE 0xE000A000
#define SLCR_BASE 0xF8000000
#define DEVCFG_BASE 0xF8007000
#define SCU_BASE 0xF8F00000
#define GICC_BASE 0xF8F00100
#define GLOBAL_TIMER_BASE 0xF8F00200
#define GICD_BASE 0xF8F01000
#define L2C_BASE 0xF8F02000

#define GIC_VERSION 1
#define GICD_SGIR 0xF00
#define GICC_IAR 0x00C

#define GPIO_MASK_DATA_2_LSW 0x010
#define GPIO_EMIO_BANK 2 /* the first of two */

#define SCU_CONTROL 0x000
#define SCU_INVALIDATE 0x00C

#define SLCR_UNLOCK 0x008
#define SLCR_KEY 0xDF0D
#define SLCR_L2C_RAM 0xA1C
#define SLCR_OCM_CFG 0x910
#define OCM_ALL_HIGH 0x1F /* all four blocks, and no boot ROM (u-boot, mach-zynq) */

/* The address at which core 1 begins, in the last 16 bytes of on-chip memory (UG585, boot). */
#define CORE_START_WORD 0xFFFFFFF0

/* The section of UART and GPIO is mapped a second time here, as Strongly-ordered: a store there is
 * complete for the core only when the device has it (arch/arm32/mmu.c). */
#define STRONGLY_ORDERED_ALIAS 0xD0000000

#define CORES 2
#define CALL_STACK_SIZE 0x4000

#endif
