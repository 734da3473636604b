"""The fake firmware at a pseudo-terminal, with the command line of the twin.

FAKE_TWIN in the environment holds JSON: fields of Faults, and ``die_at_batch`` (the process ends
in the middle of that batch), ``complain`` (its last words), ``stall_at_batch`` (that batch lasts
until the host is gone), ``batch_s`` (a batch takes so long), ``until`` (a batch lasts until this
file is there),
``parameters`` (the table that ``--parameters`` prints, in place of two constants), ``adds`` (ticks
that each KEY=VALUE of ``--set`` adds to every latency), ``refuse`` (a KEY=VALUE it does not take),
``sensitivities`` (text by file name that ``--sensitivities`` prints).
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
import tty
from pathlib import Path

from irqscope_fake.firmware import FakeFirmware, Faults


def main() -> None:
    options = json.loads(os.environ.get("FAKE_TWIN", "{}"))
    parameters = options.pop("parameters", None)
    if "--parameters" in sys.argv:
        described = {"meaning": "a time", "source": "nowhere", "mark": "A"}
        path = {"name": "gic.path", "unit": "ns", "value": 40, "range": [20, 80], **described}
        quantum = {
            "name": "cpu.quantum",
            "unit": "cycle",
            "value": 24,
            "range": [1, 36],
            **described,
        }
        print(json.dumps(parameters or [path, quantum]))
        return
    if "--sensitivities" in sys.argv:
        print(json.dumps(options.get("sensitivities", {})))
        return
    options.pop("sensitivities", None)
    adds, refused = options.pop("adds", {}), options.pop("refuse", None)
    for setting in sys.argv[1:]:
        if setting == refused:
            print(f"it refuses {setting}", file=sys.stderr)
            sys.exit(2)
        if setting in adds:
            options["latency_ticks"] += adds[setting]
    die_at_batch = options.pop("die_at_batch", None)
    complain, stall_at_batch = options.pop("complain", ""), options.pop("stall_at_batch", None)
    batch_s, until = options.pop("batch_s", 0.0), options.pop("until", None)
    refuse_to_start = options.pop("refuse_to_start", "")
    if refuse_to_start:
        print(refuse_to_start, file=sys.stderr)
        sys.exit(2)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    firmware = FakeFirmware(Faults(**options))
    master, slave = os.openpty()
    tty.setraw(slave)
    print(json.dumps({"port": os.ttyname(slave), "profile": "functional"}), flush=True)
    while True:
        ready, _, _ = select.select([master, sys.stdin.fileno()], [], [])
        if sys.stdin.fileno() in ready and not os.read(sys.stdin.fileno(), 1):
            return  # the host is gone
        if master not in ready:
            continue
        before = firmware.batches
        reply = firmware.receive(os.read(master, 4096))
        if firmware.batches != before:
            if firmware.batches == die_at_batch:
                # As the engine does: why, then the state of its cores.
                print(f"irqscope-twin: {complain}\ncore 0: running", file=sys.stderr, flush=True)
                os._exit(3)
            if firmware.batches == stall_at_batch:
                sys.exit(len(os.read(sys.stdin.fileno(), 1)))
            time.sleep(batch_s)
            while until is not None and not Path(until).exists():
                time.sleep(0.02)
        while reply:
            reply = reply[os.write(master, reply) :]


if __name__ == "__main__":
    main()
