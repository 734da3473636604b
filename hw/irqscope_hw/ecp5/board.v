// What the register `source` says of a simulation. In hardware there is none; whoever simulates
// the RTL defines IRQSCOPE_SIMULATION, and a netlist keeps what it was made with.
`ifndef IRQSCOPE_SIMULATION
`define IRQSCOPE_SIMULATION 0
`endif
module irqscope_simulation (output [14:0] number);
  assign number = `IRQSCOPE_SIMULATION;
endmodule
