// Memories of the system on an ECP5, as yosys infers them from Verilog.

// Program and data: words with bytes that can be written alone. The word of `address` is at
// `read_data` two clocks later: behind the block RAM is a register, as its output is late.
// `file`: words in hexadecimal, as $readmemh takes them.
module irqscope_ram #(parameter BITS = 14, parameter file = "firmware.hex") (
    input clk,
    input [BITS-1:0] address,
    input [3:0] write,
    input [31:0] write_data,
    output reg [31:0] read_data
);
  reg [31:0] memory[0:(1<<BITS)-1];
  reg [31:0] late;
  initial $readmemh(file, memory);
  always @(posedge clk) begin
    if (write[0]) memory[address][7:0] <= write_data[7:0];
    if (write[1]) memory[address][15:8] <= write_data[15:8];
    if (write[2]) memory[address][23:16] <= write_data[23:16];
    if (write[3]) memory[address][31:24] <= write_data[31:24];
    late <= memory[address];
    read_data <= late;
  end
endmodule

// PicoRV32's registers (its macro PICORV32_REGS). The core knows which registers an instruction
// reads a clock before it reads them, in its state `fetch`; what it writes in that clock is passed
// on. So it sees what it would see of a memory that answers at once, and the way from the
// instruction to the operand is cut in two.
module irqscope_registers (
    input clk, wen,
    input [5:0] waddr, raddr1, raddr2,
    input [31:0] wdata,
    output [31:0] rdata1, rdata2
);
  (* ram_style = "distributed" *)
  reg [31:0] registers[0:63];
  reg [31:0] first, second, written;
  reg pass1, pass2;
  always @(posedge clk) begin
    if (wen) registers[waddr] <= wdata;
    first <= registers[raddr1];
    second <= registers[raddr2];
    written <= wdata;
    pass1 <= wen && waddr == raddr1;
    pass2 <= wen && waddr == raddr2;
  end
  assign rdata1 = pass1 ? written : first;
  assign rdata2 = pass2 ? written : second;
endmodule
