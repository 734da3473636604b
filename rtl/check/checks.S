/* Programs that show whether a core is attached as docs/cores.md wants it: RV32I and Zicsr. Each stores
 * what it found from RESULTS on; irqscope_rtl.check has what they ought to store. CAUSES: bits of mie;
 * MODE: of mtvec. */
#define DATA 0x180000
#define RESULTS 0x180100
#define MARK -0x800
#define RAISE -0x7BC
#define LOWER -0x7B8
#define END -0x784

    .macro  CHECK name
    .section .text.\name, "ax"
    .balign 16
    .globl  check_\name
check_\name:
    la      t0, table + MODE
    csrw    mtvec, t0
    li      s0, DATA
    li      s1, RESULTS
    .endm

    .macro  DONE
    sw      zero, END(zero)
1:  j       1b
    .endm

    CHECK   start
    DONE

    CHECK   lanes
    li      t0, 0x11223344
    sw      t0, 0(s0)
    li      t1, 0xA5
    sb      t1, 4(s0)
    sb      t1, 5(s0)
    sb      t1, 6(s0)
    sb      t1, 7(s0)
    li      t2, 0x8765
    sh      t2, 8(s0)
    sh      t2, 10(s0)
    lw      t3, 0(s0)
    sw      t3, 0(s1)
    lbu     t3, 0(s0)
    sw      t3, 4(s1)
    lbu     t3, 1(s0)
    sw      t3, 8(s1)
    lbu     t3, 2(s0)
    sw      t3, 12(s1)
    lb      t3, 7(s0)
    sw      t3, 16(s1)
    lhu     t3, 2(s0)
    sw      t3, 20(s1)
    lh      t3, 10(s0)
    sw      t3, 24(s1)
    DONE

/* Loads right after stores of the same word, and stores one after the other. */
    CHECK   order
    li      t0, 1
    li      t1, 2
    li      t2, 3
    sw      t0, 0(s0)
    lw      t3, 0(s0)
    sw      t1, 0(s0)
    sw      t2, 4(s0)
    lw      t4, 0(s0)
    lw      t5, 4(s0)
    sw      t3, 0(s1)
    sw      t4, 4(s1)
    sw      t5, 8(s1)
    lw      t3, 4(s1)
    add     t3, t3, t4
    sw      t3, 12(s1)
    DONE

    .macro  READS csr
    CHECK   \csr
    csrr    t1, \csr
    sw      zero, 0(s1)
    DONE
    .endm

/* Writes a CSR, and reads it. */
    .macro  KEEPS csr, value
    CHECK   \csr
    li      t1, \value
    csrw    \csr, t1
    csrr    t2, \csr
    sw      t2, 0(s1)
    csrw    mie, zero
    DONE
    .endm

    KEEPS   mepc, 0x180204
    KEEPS   mcause, 0x8000000B
    KEEPS   mie, CAUSES
    KEEPS   mtvec, 0x180400 + MODE
    READS   mtval
    READS   misa
    READS   marchid
    READS   mimpid

    CHECK   mstatus
    csrci   mstatus, 8
    csrr    t1, mstatus
    csrsi   mstatus, 8
    csrr    t2, mstatus
    csrci   mstatus, 8
    csrr    t3, mstatus
    andi    t1, t1, 8
    andi    t2, t2, 8
    andi    t3, t3, 8
    sw      t1, 0(s1)
    sw      t2, 4(s1)
    sw      t3, 8(s1)
    DONE

/* mret goes to mepc, and takes MIE from MPIE. */
    CHECK   mret
    la      t1, 2f
    csrw    mepc, t1
    csrw    mie, zero
    li      t2, 0x1880
    csrs    mstatus, t2
    csrci   mstatus, 8
    mret
    sw      s0, 0(s1)
2:  csrr    t1, mstatus
    andi    t1, t1, 8
    sw      t1, 4(s1)
    DONE

/* An input that is high and not enabled must not be taken. */
    CHECK   masked
    csrw    mie, zero
    csrsi   mstatus, 8
    sw      zero, MARK(zero)
    .rept   40
    nop
    .endr
    sw      zero, 0(s1)
    DONE

/* Sleeps with interrupts off: the input wakes it, and no handler runs. */
    CHECK   wfi
    csrci   mstatus, 8
    li      t1, CAUSES
    csrw    mie, t1
    sw      zero, MARK(zero)
1:  wfi
    lw      t1, RAISE(zero)
    beqz    t1, 1b
    sw      zero, 0(s1)
    DONE

/* Interrupts are on for one instruction, with an input that waits; no cache has a line that ends
 * between. */
    CHECK   window
    li      t1, CAUSES
    csrw    mie, t1
    sw      zero, MARK(zero)
1:  lw      t1, RAISE(zero)
    beqz    t1, 1b
    .rept   16
    nop
    .endr
    .balign 64
    csrsi   mstatus, 8
    csrci   mstatus, 8
    sw      zero, 0(s1)
    DONE

/* The input is taken in a handler, which goes back. */
    CHECK   taken
    li      t1, CAUSES
    csrw    mie, t1
    csrsi   mstatus, 8
    sw      zero, MARK(zero)
1:  beqz    t6, 1b
    csrr    t1, mstatus
    andi    t1, t1, 8
    sw      t1, 16(s1)
    DONE

/* Thirty instructions, whose result no interrupt may change. t4, t5 and t6 are the handler's. */
    CHECK   anywhere
    li      t1, CAUSES
    csrw    mie, t1
    li      a0, 7
    li      a1, 0
    li      a2, 3
    csrsi   mstatus, 8
    sw      zero, MARK(zero)
    .globl  anywhere_first
anywhere_first:
    addi    a1, a1, 5
    sw      a1, 0(s0)
    lw      a3, 0(s0)
    add     a3, a3, a0
    slli    a3, a3, 2
    sw      a3, 4(s0)
    beqz    a1, 9f
    jal     a4, 1f
    addi    a3, a3, 1
1:  lb      a5, 4(s0)
    add     a0, a0, a5
    sb      a0, 9(s0)
    lhu     a5, 8(s0)
    xor     a3, a3, a5
    csrw    mscratch, a3
    csrr    a5, mscratch
    sub     a3, a5, a0
    addi    a2, a2, -1
    bnez    a2, 9f
    addi    a0, a0, 1
9:  lw      a5, 4(s0)
    sw      a5, 12(s0)
    lui     a6, 0x12345
    or      a3, a3, a6
    sltu    a7, a3, a0
    add     a3, a3, a7
    auipc   a6, 0
    srai    a3, a3, 1
    sw      a3, 16(s0)
    lw      a3, 16(s0)
    fence
    nop
1:  beqz    t6, 1b
    .globl  anywhere_last
anywhere_last:
    csrci   mstatus, 8
    sw      a3, 16(s1)
    sw      a0, 20(s1)
    DONE

/* The two loops of RISC-V's certification tests: reads of mip, and an idle loop that counts down. */
    CHECK   reads
    csrw    mie, zero
    li      a0, CAUSES
    li      a1, 1000
    sw      zero, MARK(zero)
    .globl  reads_first
reads_first:
    csrr    a2, mip
    and     a2, a2, a0
    bnez    a2, 2f
    addi    a1, a1, -1
    bnez    a1, reads_first
2:  sw      a1, 0(s1)
    DONE

    CHECK   turns
    li      t1, CAUSES
    csrw    mie, t1
    li      a1, 1000
    csrsi   mstatus, 8
    sw      zero, MARK(zero)
    .globl  turns_first
turns_first:
    addi    a1, a1, -1
    bnez    a1, turns_first
    DONE

/* Where all traps arrive; t6 counts them, t5 tells the entry. */
    .macro  ENTRY
    jal     t5, handler
    .endm

    .section .text.table, "ax"
    .balign 256
    .globl  table
table:
    .rept   32
    ENTRY
    .endr

    .globl  handler
handler:
    csrr    t4, mcause
    sw      t4, 64(s1)
    csrr    t4, mepc
    sw      t4, 68(s1)
    sw      t5, 72(s1)
    addi    t6, t6, 1
    sw      t6, 76(s1)
    csrr    t4, mcause
    bgez    t4, 1f
    li      t4, -1
    sw      t4, LOWER(zero)
    mret
1:  sw      zero, END(zero)
    j       1b
