// How a core is attached: the bus, the interrupts, and which instruction is where.
module irqscope_core (
`include "irqscope_ports.svh"
);
  logic [31:0] pc;
  multicycle core (
      .clk(clk), .rst_n(rst_n), .irq(irq), .pc(pc),
      .fetching(fetch), .executing(execute), .accessing(access), .sleeping(asleep),
      .given(fetch_valid), .fetched(fetch_data),
      .write(write), .lanes(bytes), .address(address), .stored(write_data),
      .ready(ready), .done(valid), .loaded(read_data)
  );
  // An instruction comes in the cycle behind its fetch, and is decoded and executed in that one.
  assign fetch_address = pc;
  assign execute_pc = pc;
  assign decode = execute;
  assign decode_pc = pc;
endmodule
