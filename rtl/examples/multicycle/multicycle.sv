// A small RV32IM of our own, machine mode alone, to show how a core is attached: one instruction after
// the other, two cycles each, four with a load or store. It is no part of the instrument.
module multicycle (
    input  logic        clk,
    input  logic        rst_n,
    input  logic [31:0] irq,
    output logic [31:0] pc,
    output logic        fetching, executing, accessing, sleeping,
    input  logic        given,
    input  logic [31:0] fetched,
    output logic        write,
    output logic [ 3:0] lanes,
    output logic [31:0] address, stored,
    input  logic        ready, done,
    input  logic [31:0] loaded
);
  enum logic [2:0] {FETCH, EXECUTE, ACCESS, ANSWER, SLEEP} state;
  logic [31:0] x[32];
  logic [31:0] mtvec, mie, mepc, mcause, mtval, mscratch, kept;
  logic enabled, enabled_before; // mstatus: MIE, MPIE

  wire [31:0] pending = irq & mie;
  assign fetching = state == FETCH && !(enabled && |pending);
  assign executing = state == EXECUTE && given;
  assign accessing = state == ACCESS;
  assign sleeping = state == SLEEP && pending == '0;

  // ---- the instruction -------------------------------------------------------------------------
  wire [31:0] i = state == EXECUTE ? fetched : kept;
  wire [6:0] opcode = i[6:0];
  wire [2:0] kind = i[14:12];
  wire [31:0] a = x[i[19:15]], b = x[i[24:20]];
  wire [31:0] imm_i = {{20{i[31]}}, i[31:20]};
  wire [31:0] imm_s = {{20{i[31]}}, i[31:25], i[11:7]};
  wire [31:0] imm_b = {{20{i[31]}}, i[7], i[30:25], i[11:8], 1'b0};
  wire [31:0] imm_j = {{12{i[31]}}, i[19:12], i[20], i[30:21], 1'b0};

  wire by_register = opcode == 7'h33;
  wire [31:0] c = by_register ? b : imm_i;
  wire [63:0] product = 64'($signed({kind != 3'd3 && a[31], a})) * 64'($signed({kind < 3'd2 && b[31], b}));
  // What RISC-V defines where there is no quotient follows below; here it is divided by 1.
  wire none = b == 0, over = a == 32'h80000000 && &b;
  wire signed [31:0] dividend = a, divisor = none || over ? 32'd1 : b;
  wire signed [31:0] quotient = dividend / divisor, remainder = dividend % divisor;
  wire signed [31:0] shifted = dividend >>> c[4:0];
  logic [31:0] alu;
  always_comb
    if (by_register && i[25])
      case (kind)
        3'd0: alu = product[31:0];
        3'd1, 3'd2, 3'd3: alu = product[63:32];
        3'd4: alu = none ? '1 : over ? a : quotient;
        3'd5: alu = none ? '1 : a / b;
        3'd6: alu = none ? a : over ? '0 : remainder;
        default: alu = none ? a : a % b;
      endcase
    else
      case (kind)
        3'd0: alu = by_register && i[30] ? a - c : a + c;
        3'd1: alu = a << c[4:0];
        3'd2: alu = {31'h0, $signed(a) < $signed(c)};
        3'd3: alu = {31'h0, a < c};
        3'd4: alu = a ^ c;
        3'd5: alu = i[30] ? shifted : a >> c[4:0];
        3'd6: alu = a | c;
        default: alu = a & c;
      endcase
  wire equal = a == b, less = kind[1] ? a < b : $signed(a) < $signed(b);
  wire branches = (kind[2] ? less : equal) ^ kind[0];

  // ---- control registers -----------------------------------------------------------------------
  logic [31:0] csr;
  always_comb
    case (i[31:20])
      12'h300: csr = {19'h0, 2'b11, 3'h0, enabled_before, 3'h0, enabled, 3'h0};
      12'h301: csr = 32'h40001100;
      12'h304: csr = mie;
      12'h305: csr = mtvec;
      12'h340: csr = mscratch;
      12'h341: csr = mepc;
      12'h342: csr = mcause;
      12'h343: csr = mtval;
      12'h344: csr = irq;
      default: csr = '0;
    endcase
  wire [31:0] operand = kind[2] ? {27'h0, i[19:15]} : a;
  wire [31:0] changed = kind[1:0] == 1 ? operand : kind[1:0] == 2 ? csr | operand : csr & ~operand;

  logic [4:0] first; // of what is pending, the largest ID
  always_comb begin
    first = '0;
    for (int n = 0; n < 32; n++) if (pending[n]) first = 5'(n);
  end

  // ---- one after the other ---------------------------------------------------------------------
  wire [31:0] where = a + (opcode == 7'h23 ? imm_s : imm_i);
  wire [31:0] word = loaded >> 8 * address[1:0];
  wire [31:0] part = kind[1] ? word : kind[0] ? {{16{word[15] && !kind[2]}}, word[15:0]}
      : {{24{word[7] && !kind[2]}}, word[7:0]};

  task automatic trap(input logic [31:0] cause, value);
    mepc <= pc;
    mcause <= cause;
    mtval <= value;
    {enabled_before, enabled} <= {enabled, 1'b0};
    pc <= {mtvec[31:2], 2'b0} + (cause[31] && mtvec[0] ? {25'h0, cause[4:0], 2'b0} : '0);
    state <= FETCH;
  endtask

  task automatic result(input logic [31:0] value);
    if (i[11:7] != 0) x[i[11:7]] <= value;
  endtask

  always_ff @(posedge clk)
    if (!rst_n) begin
      state <= FETCH;
      pc <= 32'h100000;
      x <= '{default: '0};
      {mtvec, mie, mepc, mcause, mtval, mscratch, kept} <= '0;
      {enabled, enabled_before} <= '0;
    end else
      case (state)
        FETCH: if (enabled && |pending) trap({1'b1, 26'h0, first}, '0);
        else state <= EXECUTE;
        EXECUTE: if (given) begin
          kept <= fetched;
          pc <= pc + 4;
          state <= FETCH;
          case (opcode)
            7'h37: result({i[31:12], 12'h0});
            7'h17: result(pc + {i[31:12], 12'h0});
            7'h6F: begin
              result(pc + 4);
              pc <= pc + imm_j;
            end
            7'h67: begin
              result(pc + 4);
              pc <= (a + imm_i) & ~32'h1;
            end
            7'h63: if (branches) pc <= pc + imm_b;
            7'h03, 7'h23:
            if (where & ((32'h1 << kind[1:0]) - 1)) trap(opcode[5] ? 6 : 4, where);
            else begin
              state <= ACCESS;
              pc <= pc; // until it is answered
              write <= opcode[5];
              address <= where;
              stored <= b << 8 * where[1:0];
              lanes <= 4'((1 << (1 << kind[1:0])) - 1) << where[1:0];
            end
            7'h13, 7'h33: result(alu);
            7'h0F: ;
            7'h73:
            if (kind != 0) begin
              result(csr);
              case (i[31:20])
                12'h300: {enabled_before, enabled} <= {changed[7], changed[3]};
                12'h304: mie <= changed;
                12'h305: mtvec <= changed;
                12'h340: mscratch <= changed;
                12'h341: mepc <= changed;
                12'h342: mcause <= changed;
                12'h343: mtval <= changed;
                default: ;
              endcase
            end else
              case (i[31:20])
                12'h000: trap(11, '0);
                12'h001: trap(3, pc);
                12'h302: begin
                  pc <= mepc;
                  {enabled_before, enabled} <= {1'b1, enabled_before};
                end
                12'h105: state <= SLEEP;
                default: trap(2, i);
              endcase
            default: trap(2, i);
          endcase
        end
        ACCESS: if (ready) state <= ANSWER;
        ANSWER:
        if (done) begin
          if (!write) result(part);
          pc <= pc + 4;
          state <= FETCH;
        end
        SLEEP: if (|pending) state <= FETCH;
        default: state <= FETCH;
      endcase
endmodule
