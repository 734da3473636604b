"""Values printed in the paper.

Horst et al. 2020: "Quantifying the Latency and Possible Throughput of External Interrupts on
Cyber-Physical Systems", CPS-IoTBench 2020; its data are in figures; only one average is printed as
a number.
"""

from __future__ import annotations

from irqscope_papers.printed import Printed

#: End of the linear zone of figure 4 a, of figure 4 b (ns), and of figure 5 b (Hz).
LINEAR_NS, LINEAR_LMIN_NS, LINEAR_HZ = 2496.0, 240.0, 1.0
#: Width of figure 5 b around the median.
RANGE_HZ = 500e3

HORST_LATENCY = (
    "Horst et al.: rising edge of the PL-to-PS line, stamped by the system trace macrocell, to the "
    "trace event of an 8-bit store, the first statement of the handler; 4 ns a tick"
)
HORST_THROUGHPUT = (
    "Horst et al.: trace events of the handlers of all cores between two rises of the line, "
    "divided by the length of one high phase (9.75 s)"
)


T2 = Printed("average", 232, "ns", "Horst et al. 2020, section 4.2")
#: The stack with the paper's way on bare metal: the vendor's vector and dispatcher.
LIKE = "standalone"
#: Figures by name of the run that has both ends where the paper has them, on the stack with a way
#: like the paper's.
HORST = {f"t2-stm-{LIKE}": T2}
HORST_ENDS = (
    "The printed number is beside the run that stamps both ends by the system trace macrocell, "
    "as the paper did; all other latencies end at a pin of the PL. The paper ran the vendor's "
    "dispatcher on bare metal; the stack standalone has its shape, baremetal is a shorter way of "
    "our own."
)
