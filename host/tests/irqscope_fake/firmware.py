"""A firmware in Python: the protocol, and a small model of gateware and core.

It shares the message declarations and the dither with the host, and nothing else: counters,
histogram and records come from a model of its own that walks over events in the order of time. It
loads little, because tests start it hundreds of times in a process of its own: numpy only where
latencies are random.
"""

from __future__ import annotations

import dataclasses
import struct
import zlib
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from cobs import cobs

from irqscope import constants
from irqscope.acquire.dither import Dither
from irqscope.link import messages
from irqscope.link.messages import BatchResult, ErrorCode
from irqscope.machines.cases import CaseId

if TYPE_CHECKING:
    import numpy as np

TICK_HZ = 249_975_000
CPU_HZ = 1_199_880_000
HANDLER, VECTOR, DONE, TASK, START = 2, 1, 3, 4, 5
#: Ticks from the start of a batch to the software's first tick.
FIRST_TICK = 4_321
#: Ticks between two answers to a level that is held.
REFIRE = 5_000

Latency = Callable[["np.random.Generator", int], "np.ndarray"]


@dataclasses.dataclass
class Faults:
    """What this firmware does wrong."""

    version: int = constants.VERSION
    magic: int = constants.MAGIC
    protocol: int = messages.PROTOCOL_VERSION
    firmware_version: int = 1
    source: int = 0x1_0101  # the ZynqMP, its ZCU102, the twin's profile functional
    built_for: int = 1
    wrong_gateware: bool = False
    refuse_protocol: bool = False
    frame_version: int = messages.PROTOCOL_VERSION
    lose_replies: tuple[int, ...] = ()  # by number of the frame answered
    damage_replies: tuple[int, ...] = ()
    damage_all: bool = False
    of_counters: tuple[
        tuple[str, int], ...
    ] = ()  # more in fields of a measurement's COUNTERS reply
    of_calibration: tuple[tuple[str, int], ...] = ()  # the same of a calibration's
    lost_markers: int = 0  # runs of the handler whose marker never came
    lose_records: int = 0
    miscount_histogram: bool = False
    miscount_calibration: bool = False
    refuse_batch: bool = False
    max_baud: int = 921_600
    coalesce_every: int = 0  # every n-th answer is so late that the next start coalesces
    loopback_varies: bool = False
    readback: tuple[tuple[str, int], ...] = ()  # fields of the CASE reply that are not as asked
    records_from: int = 0  # number by which a block of records is off
    latency_ticks: int = 0  # every answer takes this, if given
    silent_every: int = 0  # every n-th start is not answered
    of_batch: tuple[tuple[str, int], ...] = ()  # fields of the BATCH reply of a measurement
    of_core: tuple[tuple[str, int], ...] = ()  # fields of the CORE reply of the last core
    lose_sgis: int = 0  # interrupts that the core should have raised in a batch and did not
    stack: tuple[str, ...] = ("baremetal", "none", "the fake's own")
    nests: bool = False  # as the stack says
    background_missing: int = 0  # background interrupts that are not enabled


#: Programs with other stacks are other programs.
FIRMWARE_HASHES = {"freertos": 0xDEF0}


def default_latency(generator: np.random.Generator, n: int) -> np.ndarray:
    """Ticks: around 60, now and then longer."""
    return 55 + generator.integers(0, 8, n) + 40 * (generator.random(n) < 0.01)


class FakeFirmware:
    """Feed it bytes, get bytes. ``batches``: carried out so far, calibration left out.

    ``lines``, ``channels``: the last message of each, by index.
    """

    def __init__(self, faults: Faults | None = None, latency: Latency = default_latency) -> None:
        self.faults = faults or Faults()
        self.latency = latency
        self.batches = 0
        self.carried_out: list[str] = []
        self._bytes = bytearray()
        self._answered = 0
        self._session, self._number, self._last = 0, 0, b""
        self._case: dict[str, int] | None = None
        self._now = 1_000_000
        self._clear()
        self.lines: dict[int, dict[str, int]] = {}
        self.channels: dict[int, dict[str, int]] = {}
        self._recorder: dict[str, int] = {}

    def receive(self, data: bytes) -> bytes:
        out = b""
        for byte in data:
            if byte:
                self._bytes.append(byte)
                continue
            encoded, self._bytes = bytes(self._bytes), bytearray()
            if encoded:
                out += self._frame(encoded)
        return out

    # ---- frames ----------------------------------------------------------------------------

    def _frame(self, encoded: bytes) -> bytes:
        try:
            raw = cobs.decode(encoded)
        except cobs.DecodeError:
            return b""
        if len(raw) < 12 or zlib.crc32(raw[:-4]) != struct.unpack("<I", raw[-4:])[0]:
            return b""
        version, kind, session, turn = struct.unpack_from("<BBHI", raw)
        if version != messages.PROTOCOL_VERSION:
            return b""
        if (session, turn) == (self._session, self._number):
            reply = self._last
        elif turn > self._number if session == self._session else turn == 0:
            self._session, self._number = session, turn
            reply = self._last = self._carry_out(kind, raw[2:8], raw[8:-4])
        else:
            reply = self._error(raw[2:8], ErrorCode.STALE, self._session, self._number)
        number, self._answered = self._answered, self._answered + 1
        if number in self.faults.lose_replies:
            return b""
        wire = bytearray(cobs.encode(reply + struct.pack("<I", zlib.crc32(reply))))
        if self.faults.damage_all or number in self.faults.damage_replies:
            wire[len(wire) // 2] ^= 0x55 if wire[len(wire) // 2] != 0x55 else 0x5A
        return bytes(wire) + b"\0"

    def _carry_out(self, kind: int, turn: bytes, payload: bytes) -> bytes:
        message = next((m for m in messages.MESSAGES if m.kind == kind), None)
        head = self.faults.frame_version
        if message is None:
            return self._error(turn, ErrorCode.UNKNOWN_KIND)
        request = struct.Struct("<" + "".join(f.code for f in message.request))
        if len(payload) != request.size:
            return self._error(turn, ErrorCode.BAD_LENGTH)
        names = [f.name for f in message.request]
        values = dict(zip(names, request.unpack(payload), strict=True))
        self.carried_out.append(message.name)
        answer = getattr(self, f"_on_{message.name}")(values)
        if isinstance(answer, ErrorCode):
            return self._error(turn, answer)
        if isinstance(answer, tuple) and isinstance(answer[0], ErrorCode):
            return self._error(turn, *answer)
        reply, tail = answer if isinstance(answer, tuple) else (answer, b"")
        code = "<" + "".join(f.code for f in message.reply)
        body = struct.pack(code, *(reply[f.name] for f in message.reply)) + tail
        return struct.pack("<BB", head, kind + messages.REPLY) + turn + body

    def _error(self, turn: bytes, code: ErrorCode, *details: int) -> bytes:
        head = struct.pack("<BB", self.faults.frame_version, messages.ERROR_KIND)
        return head + turn + struct.pack("<HII", code, *(details or (0, 0)))

    # ---- requests --------------------------------------------------------------------------

    def _on_hello(
        self, values: dict[str, int]
    ) -> dict[str, int] | tuple[ErrorCode, int, int] | ErrorCode:
        if self.faults.wrong_gateware:
            return ErrorCode.WRONG_GATEWARE, 0xDEAD, 0xBEEF
        if self.faults.refuse_protocol:
            return ErrorCode.BAD_VALUE
        return {
            "protocol": self.faults.protocol,
            "magic": self.faults.magic,
            "version": self.faults.version,
            "build_hash": 0x1234,
            "tick_hz": TICK_HZ,
            "geometry": constants.GEOMETRY,
            "sizes": constants.SIZES,
            "source": self.faults.source,
            "source_hash": 0x5678,
            "firmware_hash": FIRMWARE_HASHES.get(self.faults.stack[0], 0x9ABC),
            "firmware_version": self.faults.firmware_version,
            "core_id": 0x410FD034,
            "counter_hz": 99_990_000,
            "cpu_hz": CPU_HZ,
            "uart_ref_hz": 99_990_000,
            "baud": 115200,
            "max_baud": self.faults.max_baud,
            "privilege": 3,
            "cores": 4,
            "max_payload": messages.MAX_PAYLOAD,
            "built_for": self.faults.built_for,
        }

    def _on_baud(self, values: dict[str, int]) -> dict[str, int] | ErrorCode:
        return values if values["baud"] in messages.BAUD_RATES else ErrorCode.BAD_VALUE

    def _on_stack(self, values: dict[str, int]) -> tuple[dict[str, int], bytes]:
        text = "\n".join(self.faults.stack).encode()
        return {"length": len(text), "nests": self.faults.nests}, text

    def _on_clear(self, values: dict[str, int]) -> dict[str, int]:
        self._clear()
        return {}

    def _on_line(self, values: dict[str, int]) -> dict[str, int]:
        self.lines[values["index"]] = values
        return {}

    def _on_channel(self, values: dict[str, int]) -> dict[str, int]:
        self.channels[values["index"]] = values
        return {}

    def _on_recorder(self, values: dict[str, int]) -> dict[str, int]:
        self._recorder = values
        return {}

    def _on_case(self, values: dict[str, int]) -> dict[str, int]:
        self._case = values
        same = (
            "case_id", "markers", "idle", "trigger", "dispatcher", "priority", "core", "interrupt",
            "placement", "pages", "memory", "aimed", "divisor", "timer_tick_period", "background",
        )  # fmt: skip
        return {f.name: 0 for f in messages.CASE.reply} | {
            **{name: values[name] for name in same},
            "enabled": 1,
            "caches": self._caches(),
            "cores_running": self._running(),
            "raising_core": self._raising_core() if values["background"] else 0,
            **dict(self.faults.readback),
        }

    def _on_core(self, values: dict[str, int]) -> dict[str, int]:
        assert self._case is not None
        last = self._running() >> values["core"] == 1
        return {f.name: 0 for f in messages.CORE.reply} | {
            "core": values["core"],
            "running": 1,
            "handles": int(values["core"] in self._handlers()),
            "caches": self._caches(),
            **(dict(self.faults.of_core) if last else {}),
        }

    def _on_background(self, values: dict[str, int]) -> tuple[dict[str, int], bytes]:
        assert self._case is not None
        total, first = self._case["background"], values["first"]
        missing = total - self.faults.background_missing
        entries = [
            struct.pack("<HBBBBB", 32 + n, 0xE0, 1, 1, n < missing, n < missing)
            for n in range(first, min(total, first + 100))
        ]
        return {"total": total}, b"".join(entries)

    def _caches(self) -> int:
        assert self._case is not None
        return 3 if self._case["caches"] else 0

    def _handlers(self) -> list[int]:
        assert self._case is not None
        several = self._case["cores"] > 1
        return list(range(self._case["cores"])) if several else [self._case["core"]]

    def _raising_core(self) -> int:
        return max(self._handlers()) + 1

    def _running(self) -> int:
        """Mask of the cores that are not in reset."""
        assert self._case is not None
        loads = self._case["case_id"] == CaseId.T7
        raises = self._case["background"] > 0
        return 0xF if loads else (1 << max(self._handlers()) + 1 + raises) - 1

    def _on_batch(self, values: dict[str, int]) -> dict[str, int] | ErrorCode:
        if self._case is None:
            return ErrorCode.NO_CASE
        reply = {f.name: 0 for f in messages.BATCH.reply} | {"number": values["number"]}
        if self.faults.refuse_batch:
            return reply | {"result": BatchResult.REFUSED, "errors": 0b1}
        self._now += 5_000
        start = self._now
        case = CaseId(self._case["case_id"])
        measured = case < CaseId.CAL_LOOPBACK
        if measured:
            self.batches += 1
        if case is CaseId.CAL_STACK:
            return reply
        if case in (CaseId.CAL_ONE_WAY_STORE, CaseId.CAL_ONE_WAY_ECHO):
            count, shortest = self._case["count"], 120 if case is CaseId.CAL_ONE_WAY_STORE else 200
            reply |= {"cycles_count": count, "cycles_min": shortest, "cycles_max": shortest + 12}
            return reply | {"cycles_sum": count * (shortest + 6)}
        self._walk(self._events(case, start))
        lost = min(self.faults.lose_records, len(self._records))
        stamped = len(self._records)
        if lost:
            del self._records[-lost:]
        self._now += 1_000
        return reply | {
            "start_tick": start,
            "end_tick": self._now,
            **self._did(start),
            "stamped": stamped,
            "lost": lost,
            "waiting": len(self._records),
            **(dict(self.faults.of_batch) if measured else {}),
        }

    def _did(self, start: int) -> dict[str, int]:
        """The cores' counts in this batch."""
        assert self._case is not None
        case = self._case
        did = {f"handled_{core}": count for core, count in self._handled.items()}
        if case["case_id"] >= CaseId.CAL_LOOPBACK:
            return did
        did |= {f"warm_up_{core}": case["warm_up"] for core in self._handlers()}
        did[f"handled_{case['core']}"] += self.faults.lost_markers
        if case["background"] and case["raise_period"]:
            did |= {"raised": 10 * case["background"], "others": 9 * case["background"]}
        if case["case_id"] == CaseId.T7:
            did |= {f"loads_{core}": 1000 for core in range(4)}
        if case["case_id"] == CaseId.RANDOM_LOAD:
            did[f"loads_{case['core']}"] = 1000
        if case["timer_tick_period"]:
            did |= {"timer_ticks": 10, "first_timer_tick": start + FIRST_TICK}
        return did

    def _on_counters(self, values: dict[str, int]) -> dict[str, int]:
        counters = dict(self._counters[values["channel"]])
        for name, more in (
            self.faults.of_calibration if self._calibrates else self.faults.of_counters
        ):
            counters[name] += more
        return {"channel": values["channel"], **counters}

    @property
    def _calibrates(self) -> bool:
        return self._case is not None and self._case["case_id"] >= CaseId.CAL_LOOPBACK

    def _on_line_status(self, values: dict[str, int]) -> dict[str, int]:
        index = values["index"]
        return {"index": index, "fired": self._fired.get(index, 0), "expired": 0}

    def _on_histogram(self, values: dict[str, int]) -> tuple[dict[str, int], bytes]:
        bins = sorted(self._histograms[values["channel"]].items())
        faults = self.faults
        if bins and (
            faults.miscount_calibration if self._calibrates else faults.miscount_histogram
        ):
            bins[0] = (bins[0][0], bins[0][1] + 1)
        rest = [item for item in bins if values["first_bin"] <= item[0] < values["end_bin"]]
        sent, more = rest[:5], rest[5:]
        end = more[0][0] if more else values["end_bin"]
        return {"next_bin": end}, b"".join(struct.pack("<HI", *item) for item in sent)

    def _on_records(self, values: dict[str, int]) -> tuple[dict[str, int], bytes]:
        first, limit = values["first_number"], values["limit"]
        block, words, before = self._records[first : first + limit], [], None
        for number, (stamp, events, latency) in enumerate(block):
            if len(words) + 5 > (messages.MAX_PAYLOAD - 8) // 4:
                block = block[:number]
                break
            word = _short_form(stamp, events, before)
            before = stamp
            if not values["whole"]:
                words.append(word)
            if values["whole"] or word == 0xFFFFFFFF:
                words += [stamp & 0xFFFFFFFF, stamp >> 32, events, latency]
        reply = {
            "first_number": first + self.faults.records_from,
            "waiting": len(self._records) - first - len(block),
        }
        return reply, struct.pack(f"<{len(words)}I", *words)

    # ---- gateware and core -----------------------------------------------------------------

    def _clear(self) -> None:
        self._records: list[tuple[int, int, int]] = []
        self._counters = {n: _no_counters() for n in range(constants.CHANNELS)}
        self._histograms: dict[int, dict[int, int]] = {n: {} for n in range(constants.CHANNELS)}
        self._fired: dict[int, int] = {}
        self._handled = dict.fromkeys(range(4), 0)

    def _events(self, case: CaseId, start: int) -> list[tuple[int, str, int]]:
        """(tick, "rise" or "marker", line or 8 * core + code), in the order of time."""
        assert self._case is not None
        events: list[tuple[int, str, int]] = []
        measured = 8 * self._case["core"]
        if case is CaseId.CAL_PROBE:
            for n in range(self._case["count"]):
                tick = start + 1000 * n
                events += [
                    (tick, "marker", measured + 6),
                    (tick + 5 + n % 3, "marker", measured + 7),
                ]
            return sorted(events)
        if self._case["interrupt"] < 16:
            return self._by_software(start)
        line = next(line for line in self.lines.values() if line["enable"])
        count = line["count"]
        period = line["high"] + line["low"]
        gaps = (period + more for more in Dither(line["seed"], line["dither_bits"]).take(count - 1))
        rises = accumulate(gaps, initial=start + line["start_delay"])
        self._fired[line["index"]] = count
        latencies = self._latencies(line["seed"], count)
        for n, (rise, latency) in enumerate(zip(rises, latencies, strict=True)):
            events.append((rise, "rise", line["index"]))
            if case is CaseId.CAL_LOOPBACK:
                delay = 2 + (self.faults.loopback_varies and n % 2)
                fall = rise + line["high"]
                events += [(rise + delay, "marker", HANDLER), (fall + delay, "marker", HANDLER)]
                continue
            if case is CaseId.CAL_PENDING:
                if n < self._case["warm_up"]:
                    continue  # its markers do not reach the pins
                events += [
                    (rise + 90, "marker", measured + START),
                    (rise + 110 + n % 2, "marker", measured + HANDLER),
                ]
                if not self._case["trigger"] and line["mode"] != constants.LineMode.ACKNOWLEDGED:
                    # Nobody takes the level back: it is pending again.
                    events += [
                        (rise + 190, "marker", measured + START),
                        (rise + 210, "marker", measured + HANDLER),
                    ]
                continue
            silent = self.faults.silent_every
            if silent and n % silent == 1 % silent:
                continue
            if self.faults.coalesce_every and n % self.faults.coalesce_every == 1:
                latency = period + 500
            held = self._case["trigger"] == 0 and line["mode"] == constants.LineMode.BURST
            for core in self._handlers():
                # Each core answers a little later than the one before it.
                first = rise + latency + 9 * core
                last = rise + line["high"] if held else first
                for tick in range(first, max(first, last) + 1, REFIRE):
                    events += self._answer(core, tick)
        return sorted(events)

    def _by_software(self, start: int) -> list[tuple[int, str, int]]:
        """Events of a case whose measured core raises an SGI."""
        assert self._case is not None
        core, count = self._case["core"], self._case["count"] - self.faults.lose_sgis
        period = self._case["raise_period"] * TICK_HZ // 100_000_000
        latencies = self._latencies(1, count)
        events: list[tuple[int, str, int]] = []
        for n, latency in enumerate(latencies):
            tick = start + (n + 1) * period
            events.append((tick, "marker", 8 * core + START))
            events += self._answer(core, tick + latency)
        return sorted(events)

    def _latencies(self, seed: int, count: int) -> Sequence[int]:
        if self.faults.latency_ticks:
            return [self.faults.latency_ticks] * count
        import numpy as np

        latencies: list[int] = self.latency(np.random.default_rng(seed), count).tolist()
        return latencies

    def _answer(self, core: int, tick: int) -> list[tuple[int, str, int]]:
        """Markers of one run of the handler."""
        assert self._case is not None
        self._handled[core] += 1
        codes = {HANDLER: 0}
        if self._case["markers"]:
            codes |= {VECTOR: -20, DONE: 15, TASK: 40}
        return [(tick + offset, "marker", 8 * core + code) for code, offset in codes.items()]

    def _walk(self, events: list[tuple[int, str, int]]) -> None:
        opened: dict[int, int] = {}
        channels = {n: c for n, c in self.channels.items() if c["enable"]}
        by_tick: dict[int, list[tuple[str, int]]] = {}
        for tick, kind, number in events:
            by_tick.setdefault(tick, []).append((kind, number))
        last = events[-1][0]
        for tick in sorted(by_tick):
            self._expire(channels, opened, tick - 1)
            rises = {n for kind, n in by_tick[tick] if kind == "rise"}
            codes = [n for kind, n in by_tick[tick] if kind == "marker"]
            latency = 0
            for index, channel in channels.items():
                counters = self._counters[index]
                if _has(codes, channel["stop_cores"], channel["stop_code"]):
                    counters["stops"] += 1
                    if index in opened:
                        took = tick - opened.pop(index)
                        self._serve(index, channel, took)
                        if index == self._recorder.get("sample_channel"):
                            latency = took
                    else:
                        counters["unmatched"] += 1
                self._expire({index: channel}, opened, tick)
                starts = (
                    _has(codes, channel["start_cores"], channel["start_code"])
                    if channel["start_kind"]
                    else channel["start_line"] in rises
                )
                if starts:
                    counters["starts"] += 1
                    if index in opened:
                        counters["coalesced"] += 1
                    else:
                        opened[index] = tick
            self._record(tick, rises, codes, latency)
        self._expire(channels, opened, last + (1 << 32))
        self._now = max(self._now, last) + max(
            (channel["timeout"] for channel in channels.values()), default=0
        )
        self._records.sort()

    def _expire(
        self, channels: dict[int, dict[str, int]], opened: dict[int, int], until: int
    ) -> None:
        for index, channel in channels.items():
            if index in opened and opened[index] + channel["timeout"] <= until:
                deadline = opened.pop(index) + channel["timeout"]
                self._counters[index]["timed_out"] += 1
                if self._recorder.get("timeouts", 0) >> index & 1:
                    self._records.append((deadline, 0, constants.RECORD_TIMED_OUT))

    def _serve(self, index: int, channel: dict[str, int], took: int) -> None:
        counters = self._counters[index]
        counters["served"] += 1
        counters["sum_ticks"] += took
        counters["min_ticks"] = min(counters["min_ticks"], took)
        counters["max_ticks"] = max(counters["max_ticks"], took)
        counters["implausible"] += took < channel["plausible_min"]
        bin_ = (took - channel["hist_origin"]) >> channel["hist_shift"]
        if bin_ < 0:
            counters["underflow"] += 1
        elif bin_ >= constants.HIST_BINS:
            counters["overflow"] += 1
        else:
            bins = self._histograms[index]
            bins[bin_] = bins.get(bin_, 0) + 1

    def _record(self, tick: int, rises: set[int], codes: list[int], latency: int) -> None:
        recorder = self._recorder
        line_mask = sum(1 << n for n in rises) & recorder.get("rises", 0)
        markers = [n for n in codes if recorder.get("select_markers", 0) >> n & 1]
        if recorder.get("threshold"):
            if latency < recorder["threshold"]:
                return
        elif not line_mask and not markers:
            return
        events = line_mask
        for n in markers:
            core, code = divmod(n, 8)
            events |= 1 << 16 + core | code << 20 + 3 * core
        self._records.append((tick, events, latency))


def _has(codes: list[int], cores: int, code: int) -> bool:
    """Whether one of the cores sent this marker."""
    return any(cores >> n // 8 & 1 and n % 8 == code for n in codes)


def _no_counters() -> dict[str, int]:
    names = [f.name for f in messages.COUNTERS.reply if f.name != "channel"]
    return dict.fromkeys(names, 0) | {"min_ticks": 0xFFFFFFFF}


def _short_form(stamp: int, events: int, before: int | None) -> int:
    """The word of ``recorder.take`` for a record that follows one stamped at ``before``."""
    if before is None or stamp - before >= 1 << 26 or (events & 0xFFFFF).bit_count() != 1:
        return 0xFFFFFFFF
    place = (events & 0xFFFFF).bit_length() - 1
    core = place - 16
    event = 32 + place if core < 0 else core << 3 | events >> 20 + 3 * core & 7
    return event << 26 | stamp - before
