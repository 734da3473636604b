/* What the kernel's port asks of a chip: a CLINT's timer, no registers beyond RV32I. */
/* clang-format off */
#ifndef FREERTOS_RISC_V_CHIP_SPECIFIC_EXTENSIONS_H
#define FREERTOS_RISC_V_CHIP_SPECIFIC_EXTENSIONS_H

#define portasmHAS_MTIME 1
#define portasmHAS_SIFIVE_CLINT 1
#define portasmADDITIONAL_CONTEXT_SIZE 0

    .macro portasmSAVE_ADDITIONAL_REGISTERS
    .endm

    .macro portasmRESTORE_ADDITIONAL_REGISTERS
    .endm

#endif
