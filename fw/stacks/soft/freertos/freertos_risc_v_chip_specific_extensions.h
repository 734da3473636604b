/* What the kernel's port asks of a chip: no timer of its own, no registers beyond RV32I. */
/* clang-format off */
#ifndef STACKS_SOFT_FREERTOS_EXTENSIONS_H
#define STACKS_SOFT_FREERTOS_EXTENSIONS_H

#define portasmHAS_MTIME 0
#define portasmHAS_SIFIVE_CLINT 0
#define portasmADDITIONAL_CONTEXT_SIZE 0

    .macro portasmSAVE_ADDITIONAL_REGISTERS
    .endm

    .macro portasmRESTORE_ADDITIONAL_REGISTERS
    .endm

#endif
