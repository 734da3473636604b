// What the CLIC offers the core, on the wires that were its 32 interrupt inputs; and what the core's
// registers say of themselves to its interrupt controller, on the wires that were mie.
package irqscope_offer;
  typedef struct packed {
    logic valid;
    logic [16:0] unused;
    logic shv;
    logic [4:0] id;
    logic [7:0] level;
  } offer_t;

  typedef struct packed {
    logic [15:0] unused;
    logic [7:0] running;   // an interrupt is taken if its level is higher,
    logic [7:0] threshold; // and ends a sleep if it is higher than this
  } levels_t;
endpackage
