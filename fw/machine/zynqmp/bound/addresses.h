/* Base addresses of the Zynq UltraScale+ devices that the firmware uses (UG1085, UG1087), and the
 * few register offsets that assembly needs. Plain numbers: included by C and by assembly. */
#ifndef MACHINE_ZYNQMP_BOUND_ADDRESSES_H
#define MACHINE_ZYNQMP_BOUND_ADDRESSES_H

/* DDR: the program is from 1 MB on (irqscope.ld). */
#define PAGE_TABLES_BASE 0x02000000 /* 4 MB: 4 KB pages of the lower 2 GB */
#define ARRAYS_BASE 0x10000000      /* what loads work on, up to the end */
#define DDR_LOW_END 0x80000000
#define OCM_BASE 0xFFFC0000 /* on-chip memory, 256 KB up to the end of the first 4 GB */
#define GICD_BASE 0xF9010000
#define GICC_BASE 0xF9020000
#define CRF_APB_BASE 0xFD1A0000
#define APU_BASE 0xFD5C0000
#define UART0_BASE 0xFF000000
#define UART1_BASE 0xFF010000
#define GPIO_BASE 0xFF0A0000
#define IOU_SCNTRS_BASE 0xFF260000
#define CRL_APB_BASE 0xFF5E0000
#define CSU_BASE 0xFFCA0000
#define PMU_GLOBAL_BASE 0xFFD80000

/* CoreSight (UG1087, modules TSGEN, FUNNEL4P, ETF8K and STM; UG1085 chapter 39 for the STM's
 * stimulus ports). */
#define TSGEN_BASE 0xFE900000
#define FUNNEL_2_BASE 0xFE930000
#define ETF_2_BASE 0xFE950000
#define STM_BASE 0xFE9C0000
#define STM_PORTS_BASE 0xF8000000

#define GIC_VERSION 2
#define GICD_SGIR 0xF00
#define GICC_IAR 0x00C
#define GPIO_MASK_DATA_3_LSW 0x018
#define GPIO_EMIO_BANK 3 /* the first of two */

/* The upper 1 GB of the first 4 GB is mapped a second time this much higher, as Device-nGnRnE:
 * a store there is complete for the core only when the device has it (arch/aarch64/mmu.c). */
#define STRONGLY_ORDERED_ALIAS 0x100000000

#define CORES 4
#define CALL_STACK_SIZE 0x4000

#endif
