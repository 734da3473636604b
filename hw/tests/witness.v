// Plays the processor at the packaged core's pins and checks what the core counts against a model of
// its own, which sees nothing but the pins.
//
// The GPIO controller stores on its own 100 MHz clock, at any phase to the core's and with the bits
// of a store spread over most of a tick. Four handlers answer interrupts late, twice or never. Every
// edge and marker is logged with its tick; after the batch the counters, histograms, records and lines
// are worked out from the log and compared with the registers.
//
// map.vh, the register map as constants, is written by test_witness.py.
//   +seed=N  random numbers      +phase=N  phase of the bus clock, 0 to 9 ns
//   +pulses=N  pulses of line 0  +trace=F  writes the core's pins of each tick to F

`timescale 1ns/1ps
`include "map.vh"

module witness;
  localparam LOG = 65536;  // ticks that the log holds
  localparam CHANNELS = 5, LINES = 3, RECORDS = 32;
  localparam BINS = 128;  // of channels 0 and 1, whose timeouts keep latencies below

  integer seed, phase, pulses, trace, checks, failures;

  task check(input [8*24-1:0] what, input integer index, input [63:0] found, input [63:0] expected);
    begin
      checks = checks + 1;
      if (found !== expected) begin
        failures = failures + 1;
        $display("FAIL %0s [%0d]: the core has %0d, the pins say %0d", what, index, found, expected);
      end
    end
  endtask

  function integer random(input integer low, input integer high);  // both included
    random = low + $unsigned($random(seed)) % (high - low + 1);
  endfunction

  // ---- clocks and pins -------------------------------------------------------------------------
  reg clk = 0, bus = 0, resetn = 0;
  always #2 clk = ~clk;

  reg [63:0] gpio = 0;  // output registers of the GPIO controller
  reg [63:0] pins = 0;  // the same at the core
  wire [63:0] answers;
  wire [7:0] irq0, irq1, pmod;
  wire [3:0] apugic_irq, apugic_fiq, led;
  wire [59:0] stm;

  genvar g;
  generate
    for (g = 0; g < 64; g = g + 1) begin : skewed
      real delay;
      always @(gpio[g]) pins[g] <= #(delay) gpio[g];
    end
  endgenerate

  irqscope_zynqmp dut (
    .clk(clk), .resetn(resetn), .emio_gpio_o(pins), .emio_gpio_i(answers),
    .pl_ps_irq0(irq0), .pl_ps_irq1(irq1), .pl_ps_apugic_irq(apugic_irq),
    .pl_ps_apugic_fiq(apugic_fiq), .stm_event(stm), .pmod(pmod), .pmod_in(8'd0), .led(led)
  );

  // ---- stores: one at a time, each holds for two cycles of the bus --------------------------------
  // Agents 0 to 3 are the cores' markers, 4 the request half of bank 3, 5 bank 4.
  reg [5:0] waiting = 0;
  reg [31:0] value [0:5];
  reg resting = 0;
  integer turn = 0, agent;
  always @(posedge bus) begin
    resting = !resting && waiting != 0;
    if (resting) begin
      turn = random(0, 5);
      while (!waiting[turn]) turn = (turn + 1) % 6;
      if (turn == 5) gpio[63:32] <= value[5];
      else if (turn == 4) gpio[31:16] <= value[4][15:0];
      else gpio[4 * turn +: 4] <= value[turn][3:0];
      waiting[turn] = 0;
    end
  end

  task store(input integer who, input [31:0] what);
    begin
      value[who] = what;
      waiting[who] = 1;
      wait (!waiting[who]);
    end
  endtask

  reg [3:0] toggles = 0;
  task marker(input integer core, input [2:0] code);
    begin
      toggles[core] = ~toggles[core];
      store(core, {toggles[core], code});
    end
  endtask

  // ---- registers -------------------------------------------------------------------------------
  reg request = 0;
  integer timeouts;
  task access(input [13:0] address, input write);
    begin
      store(4, {request, write, address});
      request = ~request;
      store(4, {request, write, address});
      timeouts = 0;
      while (answers[0] !== request && timeouts < 100) begin
        @(posedge bus);
        timeouts = timeouts + 1;
      end
      if (timeouts == 100) begin
        $display("FAIL word %h is not acknowledged", address);
        $finish;
      end
      @(posedge bus);
    end
  endtask

  task write(input [13:0] address, input [31:0] data);
    begin
      store(5, data);
      access(address, 1);
    end
  endtask

  reg [31:0] read_data;
  task read(input [13:0] address);
    begin
      access(address, 0);
      read_data = answers[63:32];
    end
  endtask

  reg [63:0] wide;
  task read64(input [13:0] address);
    begin
      read(address);
      wide[31:0] = read_data;
      read(address + 1);
      wide[63:32] = read_data;
    end
  endtask

  // ---- log: what happened in each tick, from the pins alone ---------------------------------------
  // Before a rising edge everything shows the tick that ends with it, number tick. A toggle that is
  // seen changed then is in the first flip-flop in tick + 1 and stamped MARKER_DELAY later; its code
  // is what the pins show two ticks after the toggle.
  integer tick = 0;
  reg logging = 0;
  reg [7:0] rises [0:LOG-1], falls [0:LOG-1];
  reg [3:0] cores [0:LOG-1];
  reg [11:0] codes [0:LOG-1];
  reg [7:0] levels_before = 0, levels;
  reg [3:0] seen_0 = 0, seen_1 = 0, seen_2 = 0;
  reg [7:0] expected_irq0, expected_irq1, expected_pmod, expected_stm;
  reg [3:0] expected_apugic;
  reg [15:0] spi_of [0:LINES-1];
  reg [3:0] ppi_of [0:LINES-1];
  reg [7:0] pmod_of [0:LINES-1];
  integer l, c, mismatches = 0;

  always @(posedge clk) begin
    levels = answers[15:8];
    if (trace != 0)
      $fdisplay(trace, "%b %h %h %h %h %h %h %h %h %h %h %b %h", dut.rst, pins[31:0], pins[63:32],
                answers[31:0], answers[63:32], irq0, irq1, apugic_irq, pmod, stm[39:32],
                dut.core.now, dut.core.quiet, dut.core.target_valid);
    if (logging) begin
      rises[tick % LOG] = levels & ~levels_before;
      falls[tick % LOG] = ~levels & levels_before;
      {expected_irq1, expected_irq0, expected_apugic, expected_pmod, expected_stm} = 0;
      for (l = 0; l < LINES; l = l + 1)
        if (levels[l]) begin
          {expected_irq1, expected_irq0} = {expected_irq1, expected_irq0} | spi_of[l];
          expected_apugic = expected_apugic | ppi_of[l];
          expected_pmod = expected_pmod | pmod_of[l];
          expected_stm[l] = l != 1;
        end
      if ({irq1, irq0, apugic_irq, apugic_fiq, pmod, stm} !==
          {expected_irq1, expected_irq0, expected_apugic, 4'd0, expected_pmod, 20'd0, expected_stm,
           32'd0})
        mismatches = mismatches + 1;
      for (c = 0; c < 4; c = c + 1) begin
        cores[(tick + 1) % LOG][c] = seen_2[c] ^ seen_1[c];
        codes[(tick + 1) % LOG][3 * c +: 3] = (seen_2[c] ^ seen_1[c]) ? pins[4 * c +: 3] : 3'd0;
      end
    end
    levels_before = levels;
    seen_2 = seen_1;
    seen_1 = seen_0;
    seen_0 = {pins[15], pins[11], pins[7], pins[3]};
    tick = dut.rst ? 0 : tick + 1;
  end

  // ---- handlers --------------------------------------------------------------------------------
  wire [3:0] interrupt = {apugic_irq[3], apugic_irq[2], irq1[2], irq0[0]};
  generate
    for (g = 0; g < 4; g = g + 1) begin : handler
      integer kind;
      always @(posedge interrupt[g]) begin
        kind = random(0, 9);
        if (kind != 0) begin  // 0: never answers
          #(random(20, kind == 1 ? 1500 : 300));
          marker(g, `E_MARKER_HANDLER);
          if (kind == 2) marker(g, `E_MARKER_HANDLER);  // answers twice
          if (kind > 2) #(random(0, 120));
          marker(g, `E_MARKER_DONE);
        end
      end
    end
  endgenerate

  // ---- set-up ----------------------------------------------------------------------------------
  integer mode [0:LINES-1], delay [0:LINES-1], high [0:LINES-1], low [0:LINES-1],
          dither [0:LINES-1], count [0:LINES-1];
  integer start_kind [0:CHANNELS-1], start_line [0:CHANNELS-1], stop_cores [0:CHANNELS-1],
          stop_code [0:CHANNELS-1], shift [0:CHANNELS-1], origin [0:CHANNELS-1],
          timeout [0:CHANNELS-1], plausible [0:CHANNELS-1];

  task choose;
    begin
      // line 0: burst to core 0; line 1: until core 1 is done; line 2: fanned out to cores 2 and 3
      mode[0] = `E_LINE_MODE_BURST; mode[1] = `E_LINE_MODE_ACKNOWLEDGED; mode[2] = `E_LINE_MODE_BURST;
      spi_of[0] = 16'h8001; spi_of[1] = 16'h0400; spi_of[2] = 16'h0000;
      ppi_of[0] = 4'h0; ppi_of[1] = 4'h0; ppi_of[2] = 4'hc;
      pmod_of[0] = 8'h01; pmod_of[1] = 8'h02; pmod_of[2] = 8'h81;
      for (l = 0; l < LINES; l = l + 1) begin
        delay[l] = random(0, 40);
        high[l] = random(20, 90);
        low[l] = random(60, 200);
        dither[l] = random(0, 5);
        count[l] = pulses;
      end
      high[2] = 10;  // the shortest phase
      // 0: line 0 to core 0's handler; 1: line 1 to core 1 done, coarse bins; 2: line 2 to cores 2
      // and 3, so that one of them finds nothing open; 3: core 0's handler to its done; 4: line 2
      // to a marker that often fails to come, so that starts meet an open stimulus
      for (c = 0; c < CHANNELS; c = c + 1) begin
        start_kind[c] = c == 3;
        start_line[c] = c == 4 ? 2 : c;
        stop_cores[c] = c == 2 ? 4'hc : c == 3 ? 4'h1 : c == 4 ? 4'h8 : 1 << c;
        stop_code[c] = c == 0 || c == 2 ? `E_MARKER_HANDLER : `E_MARKER_DONE;
        shift[c] = c == 1 ? 2 : 0;
        origin[c] = c == 0 ? 20 : 0;
        timeout[c] = c == 4 ? 700 : random(50, 120);
        plausible[c] = random(0, 30);
      end
      start_line[3] = 0;
    end
  endtask

  task configure;
    begin
      for (l = 0; l < LINES; l = l + 1) begin
        write(`LINES_0_CONFIG + l * `LINES_STRIDE, 1 << `LINES_0_CONFIG_ENABLE
              | mode[l] << `LINES_0_CONFIG_MODE | dither[l] << `LINES_0_CONFIG_DITHER_BITS
              | 4'h2 << `LINES_0_CONFIG_ACK_CORES
              | `E_MARKER_DONE << `LINES_0_CONFIG_ACK_CODE);
        write(`LINES_0_START_DELAY + l * `LINES_STRIDE, delay[l]);
        write(`LINES_0_HIGH + l * `LINES_STRIDE, high[l]);
        write(`LINES_0_LOW + l * `LINES_STRIDE, low[l]);
        write(`LINES_0_COUNT + l * `LINES_STRIDE, count[l]);
        write(`LINES_0_SEED + l * `LINES_STRIDE, $random(seed));
        write(`LINES_0_ROUTE + l * `LINES_STRIDE, spi_of[l] << `LINES_0_ROUTE_SPI
              | ppi_of[l] << `LINES_0_ROUTE_PPI | pmod_of[l] << `LINES_0_ROUTE_PMOD
              | (l != 1) << `LINES_0_ROUTE_STM);
      end
      for (c = 0; c < CHANNELS; c = c + 1) begin
        write(`CHANNELS_0_CONFIG + c * `CHANNELS_STRIDE, 1 << `CHANNELS_0_CONFIG_ENABLE
              | start_kind[c] << `CHANNELS_0_CONFIG_START_KIND
              | start_line[c] << `CHANNELS_0_CONFIG_START_LINE
              | 4'h1 << `CHANNELS_0_CONFIG_START_CORES
              | `E_MARKER_HANDLER << `CHANNELS_0_CONFIG_START_CODE
              | stop_cores[c] << `CHANNELS_0_CONFIG_STOP_CORES
              | stop_code[c] << `CHANNELS_0_CONFIG_STOP_CODE
              | shift[c] << `CHANNELS_0_CONFIG_HIST_SHIFT
              | 1 << `CHANNELS_0_CONFIG_PHASE_LINE);
        write(`CHANNELS_0_TIMEOUT + c * `CHANNELS_STRIDE, timeout[c]);
        write(`CHANNELS_0_PLAUSIBLE_MIN + c * `CHANNELS_STRIDE, plausible[c]);
        write(`CHANNELS_0_HIST_ORIGIN + c * `CHANNELS_STRIDE, origin[c]);
      end
      write(`RECORDER_SELECT, 32'h07 << `RECORDER_SELECT_RISES | 32'h07 << `RECORDER_SELECT_FALLS
            | 1 << `RECORDER_SELECT_TIMEOUTS);
      write(`RECORDER_SELECT_MARKERS, 32'hffffffff);
      write(`RECORDER_LIMIT, RECORDS);
    end
  endtask

  // ---- the model: what the log means --------------------------------------------------------------
  integer first, last;  // ticks of the log that count
  integer starts, served, coalesced, timed_out, stops, unmatched, implausible, underflow, sum,
          shortest, longest, phases, stops_at_phase, open, opened, latency, bin, t, n;
  integer bins [0:BINS-1];
  reg started, stopped;
  reg [31:0] sample [0:LOG-1];  // what a record of the tick says of channel 0

  function stops_channel(input integer channel, input integer at);
    integer core;
    begin
      stops_channel = 0;
      for (core = 0; core < 4; core = core + 1)
        if (stop_cores[channel] >> core & cores[at % LOG][core]
            && codes[at % LOG][3 * core +: 3] == stop_code[channel])
          stops_channel = 1;
    end
  endfunction

  task work_out(input integer channel);
    begin
      {starts, served, coalesced, timed_out, stops, unmatched, implausible} = 0;
      underflow = 0; sum = 0; longest = 0; phases = 0; stops_at_phase = 0; open = 0;
      shortest = 32'hffffffff;
      for (n = 0; n < BINS; n = n + 1) bins[n] = 0;
      for (t = first; t <= last; t = t + 1) begin
        if (channel == 0) sample[t % LOG] = 0;
        stopped = stops_channel(channel, t);
        started = start_kind[channel] == 0 ? rises[t % LOG][start_line[channel]]
                : cores[t % LOG][0] && codes[t % LOG][2:0] == `E_MARKER_HANDLER;
        if (stopped) begin
          stops = stops + 1;
          if (!open) unmatched = unmatched + 1;
          else begin
            latency = t - opened;
            open = 0;
            served = served + 1;
            sum = sum + latency;
            if ($unsigned(latency) < $unsigned(shortest)) shortest = latency;
            if (latency > longest) longest = latency;
            if (latency < plausible[channel]) implausible = implausible + 1;
            bin = (latency - origin[channel]) >>> shift[channel];
            if (latency < origin[channel]) underflow = underflow + 1;
            else if (bin < BINS) bins[bin] = bins[bin] + 1;
            if (channel == 0) sample[t % LOG] = latency;
          end
        end
        if (open && t == opened + timeout[channel]) begin
          timed_out = timed_out + 1;
          open = 0;
          if (channel == 0) sample[t % LOG] = 32'hffffffff;
        end
        if (started) begin
          starts = starts + 1;
          if (open) coalesced = coalesced + 1;
          else begin
            open = 1;
            opened = t;
          end
        end
        if (rises[t % LOG][1]) begin
          phases = phases + 1;
          stops_at_phase = stops;
        end
      end
    end
  endtask

  reg [13:0] base;
  task compare_channel(input integer channel);
    begin
      work_out(channel);
      base = channel * `CHANNELS_STRIDE;
      read64(base + `CHANNELS_0_STARTS); check("starts", channel, wide, starts);
      read64(base + `CHANNELS_0_SERVED); check("served", channel, wide, served);
      read64(base + `CHANNELS_0_COALESCED); check("coalesced", channel, wide, coalesced);
      read64(base + `CHANNELS_0_TIMED_OUT); check("timed_out", channel, wide, timed_out);
      read64(base + `CHANNELS_0_STOPS); check("stops", channel, wide, stops);
      read64(base + `CHANNELS_0_UNMATCHED); check("unmatched", channel, wide, unmatched);
      read64(base + `CHANNELS_0_IMPLAUSIBLE); check("implausible", channel, wide, implausible);
      read64(base + `CHANNELS_0_UNDERFLOW); check("underflow", channel, wide, underflow);
      read64(base + `CHANNELS_0_SUM_TICKS); check("sum_ticks", channel, wide, sum);
      read64(base + `CHANNELS_0_STOPS_AT_PHASE); check("stops_at_phase", channel, wide, stops_at_phase);
      read(base + `CHANNELS_0_MIN_TICKS); check("min_ticks", channel, read_data, $unsigned(shortest));
      read(base + `CHANNELS_0_MAX_TICKS); check("max_ticks", channel, read_data, longest);
      read(base + `CHANNELS_0_PENDING); check("pending", channel, read_data, open);
      read(base + `CHANNELS_0_PHASES); check("phases", channel, read_data, phases);
      $display("channel %0d: starts %0d served %0d coalesced %0d timed out %0d unmatched %0d",
               channel, starts, served, coalesced, timed_out, unmatched);
      if (channel < 2) begin
        write(`HIST_SELECT, channel);
        for (n = 0; n < BINS >> shift[channel]; n = n + 1) begin
          read(`HIST_WINDOW + n);
          check("bin", n, read_data, bins[n]);
        end
      end
    end
  endtask

  task compare_line(input integer line);
    reg acknowledged;
    integer fired, expired, just, rise, fall, length;  // just: acknowledged as it expired
    begin
      fired = 0; expired = 0; just = 0; rise = -1; fall = -1;
      for (t = first; t <= last; t = t + 1) begin
        if (rises[t % LOG][line]) begin
          if (fired == 0) check("first rise", line, t, first + delay[line]);
          else begin
            length = t - fall;
            check("low phase in range", line,
                  length >= low[line] && length < low[line] + (1 << dither[line]), 1);
          end
          fired = fired + 1;
          rise = t;
        end
        if (falls[t % LOG][line]) begin
          fall = t;
          length = fall - rise;
          if (mode[line] == `E_LINE_MODE_BURST) check("high phase", line, length, high[line]);
          else begin
            check("high phase in range", line, length >= 10 && length <= high[line], 1);
            if (length == high[line]) begin
              acknowledged = 0;
              for (n = rise; n <= fall; n = n + 1)
                if (cores[n % LOG][1] && codes[n % LOG][5:3] == `E_MARKER_DONE) acknowledged = 1;
              if (acknowledged) just = just + 1;
              else expired = expired + 1;
            end
          end
        end
      end
      check("pulses", line, fired, count[line]);
      read(`LINES_0_FIRED + line * `LINES_STRIDE); check("fired", line, read_data, fired);
      read(`LINES_0_EXPIRED + line * `LINES_STRIDE); check("expired in range", line, read_data >= expired && read_data <= expired + just, 1);
    end
  endtask

  task compare_records;
    integer stamped;
    begin
      work_out(0);
      stamped = 0;
      for (t = first; t <= last && stamped < RECORDS; t = t + 1)
        if ({rises[t % LOG], falls[t % LOG], cores[t % LOG]} != 0
            || sample[t % LOG] == 32'hffffffff) begin
          read64(`RECORDER_HEAD_STAMP); check("stamp", stamped, wide, t);
          read(`RECORDER_HEAD_EVENTS);
          check("events", stamped, read_data,
                {codes[t % LOG], cores[t % LOG], falls[t % LOG], rises[t % LOG]});
          read(`RECORDER_HEAD_LATENCY); check("latency", stamped, read_data, sample[t % LOG]);
          read(`RECORDER_HEAD_NUMBER); check("number", stamped, read_data, stamped);
          write(`RECORDER_REMOVE, stamped);
          stamped = stamped + 1;
        end
      read64(`RECORDER_STAMPED); check("stamped", 0, wide, stamped);
      read64(`RECORDER_LOST); check("lost", 0, wide, 0);
      read(`RECORDER_WAITING); check("waiting", 0, read_data, 0);
      $display("records %0d", stamped);
    end
  endtask

  // ---- the session -----------------------------------------------------------------------------
  reg [8*256-1:0] path;
  initial begin
    checks = 0; failures = 0; trace = 0;
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    if (!$value$plusargs("phase=%d", phase)) phase = 3;
    if (!$value$plusargs("pulses=%d", pulses)) pulses = 24;
    if ($value$plusargs("trace=%s", path)) trace = $fopen(path, "w");
    #(phase + 0.37);  // no edge of the bus ever meets one of the core's clock
    forever #5 bus = ~bus;
  end

  generate
    for (g = 0; g < 64; g = g + 1) initial #0.1 skewed[g].delay = random(1, 7) * 0.5;
  endgenerate

  initial begin
    #203 resetn = 1;
    wait (!dut.rst);
    read(`MAGIC); check("magic", 0, read_data, 32'h49525153);
    read(`SOURCE); check("source", 0, read_data, 1 << `SOURCE_MACHINE | 1 << `SOURCE_BOARD);
    read(`STATUS);
    while (read_data[`STATUS_CLEARING]) read(`STATUS);
    for (n = 0; n < 4; n = n + 1) marker(n, `E_MARKER_DUMMY);
    choose;
    configure;
    read64(`NOW);
    first = wide + 400;
    write(`START_TICK, first);
    write(`START_TICK + 1, 0);
    #100 check("counts ticks as the testbench does", 0, dut.core.now, tick);
    logging = 1;
    write(`COMMAND, 1 << `COMMAND_ARM);
    read(`STATUS); check("armed", 0, read_data[`STATUS_ARMED], 1);
    check("led", 0, led, 4'b0011);
    while (!answers[21]) @(posedge bus);  // finished
    #8000;
    last = tick - 20;
    logging = 0;
    if (last - first >= LOG) $display("FAIL the log is too short");
    write(`COMMAND, 1 << `COMMAND_DISARM);
    trace = 0;
    read(`ERRORS); check("errors", 0, read_data, 0);
    check("pins that are not their lines", 0, mismatches, 0);
    for (n = 0; n < LINES; n = n + 1) compare_line(n);
    compare_channel(0);
    compare_channel(1);
    compare_channel(2);
    compare_channel(3);
    compare_channel(4);
    compare_records;
    $display("%0s: %0d checks, %0d failures", failures ? "FAILED" : "PASSED", checks, failures);
    $finish;
  end
endmodule
