"""Evaluation of a report of the routed witness, in the format of nextpnr 0.11."""

from irqscope_hw.fpga.witness import ENDPOINTS, describe, slowest

CLOCK = "posedge clk"


def step(kind, delay, start, end):
    return {"type": kind, "delay": delay, "from": {"cell": start}, "to": {"cell": end}}


def net(driver, *ends, event=CLOCK):
    endpoints = [{"cell": cell, "delay": [0.1, ns], "event": to} for cell, ns, to in ends]
    return {"driver": driver, "event": event, "endpoints": endpoints}


REPORT = {
    "fmax": {"clk": {"achieved": 130.25, "constraint": 130}},
    "critical_paths": [
        {
            "from": CLOCK,
            "to": CLOCK,
            "path": [
                step("clk-to-q", 0.5, "a_TRELLIS_FF_Q", "a_TRELLIS_FF_Q"),
                step("routing", 6.0, "a_TRELLIS_FF_Q", "lut"),
                step("logic", 1.5, "lut", "b_TRELLIS_FF_Q"),
                step("setup", 0.0, "b_TRELLIS_FF_Q", "b_TRELLIS_FF_Q"),
            ],
        },
        {"from": "<async>", "to": CLOCK, "path": [step("source", 99.0, "pin", "pin")]},
    ],
    "detailed_net_timings": [
        net("lut", ("b_TRELLIS_FF_Q", 8.0, CLOCK), ("b_TRELLIS_FF_Q_1", 7.0, CLOCK)),
        net("mux", ("c_TRELLIS_FF_Q_3", 9.0, CLOCK), ("pad", 50.0, "<async>")),
        net("pin", ("d_TRELLIS_FF_Q", 60.0, CLOCK), event="<async>"),
        net("few", *((f"r{i}_TRELLIS_FF_Q", 1 + i / 100, CLOCK) for i in range(20))),
    ],
}


def test_the_rate_and_the_share_of_wire_are_told():
    assert list(describe(REPORT)) == [
        "clock clk: 130.2 MHz",
        "critical path: 8.00 ns, 75 % of it wire",
        "    a_TRELLIS_FF_Q -> b_TRELLIS_FF_Q",
    ]


def test_each_register_is_named_once_by_its_worst_bit_and_pins_are_not():
    lines = list(slowest(REPORT))
    assert len(lines) == ENDPOINTS
    assert lines[:2] == ["      9.00 ns  c  behind mux", "      8.00 ns  b  behind lut"]
    assert lines[2] == "      1.19 ns  r19  behind few"
