    // The ports of module irqscope_core: docs/cores.md, "A core of one's own".
    input  logic        clk,
    input  logic        rst_n,
    input  logic [31:0] irq,
    output logic        fetch,
    output logic [31:0] fetch_address,
    input  logic        fetch_valid,
    input  logic [31:0] fetch_data,
    output logic        access,
    output logic        write,
    output logic [ 3:0] bytes,
    output logic [31:0] address,
    output logic [31:0] write_data,
    input  logic        ready,
    input  logic        valid,
    input  logic [31:0] read_data,
`ifdef IRQSCOPE_SAVES
    input  logic [ 1:0] saving,
    output logic        save,
    output logic [31:0] save_address,
    output logic [31:0] save_data,
`endif
`ifdef IRQSCOPE_CLIC
    input  logic [15:0] clic_base,
`endif
`ifdef IRQSCOPE_STATE
    output logic        interrupts_on,
    output logic [31:0] enabled,
    input  logic [ 4:0] register_number,
    output logic [31:0] register_value,
`endif
`ifdef IRQSCOPE_TAKEN
    output logic        taken,
    output logic [ 4:0] taken_cause,
    output logic [31:0] taken_pc,
`endif
`ifdef IRQSCOPE_BOOT
    input  logic [31:0] boot_address,
    output logic [31:0] trap_vector,
`endif
    output logic        decode,
    output logic [31:0] decode_pc,
    output logic        execute,
    output logic [31:0] execute_pc,
    output logic        asleep
