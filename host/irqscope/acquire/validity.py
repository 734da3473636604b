"""Reasons for an invalid run, and remarks that must accompany N, from the collected data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from irqscope.acquire.collect import ChannelResults, Collection
from irqscope.acquire.counters import (
    histogram_against_counters,
    parts_that_did_nothing,
    samples_against_counters,
    samples_against_extremes,
    samples_against_histogram,
)
from irqscope.constants import CORES, ERRORS, Marker, StartKind
from irqscope.experiment.kinds import answering
from irqscope.machines import under_linux
from irqscope.results.tables import STAGES


def validity_errors(collection: Collection, configuration: str = "") -> Iterator[str]:
    """Why this run is not valid, from its numbers."""
    if collection.plan.experiment.lines and collection.fired != collection.stimuli:
        yield f"the line fired {collection.fired} times of {collection.stimuli}"
    if collection.stimuli:
        yield from parts_that_did_nothing(collection.plan, collection.totals)
    if collection.stamped != collection.delivered + collection.lost:
        yield (
            f"records do not close: {collection.stamped} stamped, "
            f"{collection.delivered} delivered, {collection.lost} lost"
        )
    if collection.lost:
        yield f"{collection.lost} records were lost: the FIFO overflowed"
    yield from _warm_up_validity_errors(collection)
    yield from _stages_never_seen(collection, configuration)
    if collection.stm is not None:
        yield from collection.stm.validity_errors()
    if not _served_elsewhere(collection):
        yield from unserved(collection)
    for channel in collection.channels:
        gateware = channel.gateware
        yield from channel.counters.validity_errors()
        if channel.queue:
            yield from gateware.counters.book_errors()
        if _begins(collection, channel) and channel.counters["starts"] != collection.stimuli:
            yield f"{channel.counters['starts']} of {collection.stimuli} stimuli were begun"
        handled = sum(collection.totals[f"handled_{core}"] for core in channel.stopping)
        if channel.stopping and handled != gateware.counters["stops"]:
            stops = gateware.counters["stops"]
            yield f"the handler ran {handled} times, {stops} of its markers were seen"
        complete = collection.complete(channel)
        if complete and not collection.plan.serves_only:
            yield from samples_against_counters(gateware.rebuilt, gateware.counters)
        yield from histogram_against_counters(gateware.histogram, channel.values, gateware.counters)
        yield from samples_against_extremes(gateware.samples, gateware.counters, complete=complete)
        yield from samples_against_histogram(
            gateware.samples,
            gateware.histogram,
            channel.values,
            gateware.counters,
            complete=complete,
        )


def errors_of_the_gateware(batches: Mapping[str, int]) -> Iterator[str]:
    """Explains why a run with sticky errors of the gateware is invalid.

    Each error was set after so many batches.
    """
    for name, number in batches.items():
        _, text = ERRORS[name]
        batches_of = "1 batch" if number == 1 else f"{number} batches"
        yield f"after {batches_of} the gateware reported {name}: {text}"


def unserved(collection: Collection) -> Iterator[str]:
    """Why channels served nothing, a line for each that did not."""
    by_index = {channel.index: channel for channel in collection.plan.experiment.channels}
    for channel in collection.channels:
        of_it = by_index[channel.values["index"]]
        if text := channel.counters.unserved(of_it.start, of_it.stop):
            yield text


def _served_elsewhere(collection: Collection) -> bool:
    """Whether a channel without an answer is a result and no fault."""
    served = any(channel.counters["served"] for channel in collection.channels)
    return answering(collection.plan.experiment).optional_channels and served


def _of_queue(channel: ChannelResults) -> Iterator[str]:
    """Yields remarks about a channel that a queue has paired."""
    by_gateware, name = channel.gateware.counters, f"channel {channel.values['index']}"
    yield (
        f"{name}: paired by a queue; the gateware, which pairs a stop with the open stimulus, "
        f"counted {by_gateware['served']} served and {by_gateware['timed_out']} timed out"
    )
    if unpaired := channel.counters["coalesced"]:
        yield (
            f"{name}: {unpaired} stimuli count as coalesced, because starts or stops near them "
            "have no partner, so their pairs are uncertain"
        )


def _begins(collection: Collection, channel: ChannelResults) -> bool:
    """Each stimulus begins at the marker that the channel starts at.

    False at an instruction, which other paths may also execute.
    """
    experiment = collection.plan.experiment
    start = next(c.start for c in experiment.channels if c.index == channel.values["index"])
    return experiment.by_software and start.symbol is None


def _warm_up_validity_errors(collection: Collection) -> Iterator[str]:
    """Each core that handles the interrupt has to go through every round of each warm-up."""
    experiment = collection.plan.experiment
    expected = experiment.warm_up * collection.batches
    for core in range(CORES):
        counted = collection.totals[f"warm_up_{core}"]
        if (
            collection.plan.handlers >> core & 1
            and experiment.interrupt != "none"
            and counted != expected
        ):
            yield f"core {core} handled {counted} interrupts of warm-up, {expected} were asked for"


def _stages_never_seen(collection: Collection, configuration: str) -> Iterator[str]:
    """Markers that the stack should make and no sample of any channel has."""
    experiment = collection.plan.experiment
    sampled = [
        channel
        for channel in collection.channels
        if channel.values["start_kind"] == StartKind.LINE
        and channel.values["stop_code"] == Marker.HANDLER
        and channel.counters["served"]
        and collection.complete(channel)
    ]
    if experiment.markers != "stages" or collection.plan.serves_only or not sampled:
        return
    linux = collection.plan.machine.name == under_linux.NAME
    expected = (*under_linux.module_stages(configuration), *under_linux.STAGES)
    for stage in expected if linux else STAGES:
        if not any(channel.stages[stage] for channel in sampled):
            yield f'the stack "{experiment.stack}" never made the marker {stage}'


def _of_the_module(configuration: str) -> Iterator[str]:
    """Yields which stages in the kernel have no marker, and whether the others were played."""
    marked = under_linux.module_stages(configuration)
    missing = [
        title
        for stage, title in under_linux.STAGE_TITLES.items()
        if stage not in (*marked, *under_linux.STAGES)
    ]
    if missing:
        reason = (
            "irqscope_line wakes the thread from the hard handler"
            if marked
            else "the module irqscope_line does not drive the line (docs/linux.md)"
        )
        yield f"no stage {' and no stage '.join(missing)}: {reason}"
    if under_linux.is_played(configuration):
        yield "the hard handler and the interrupt thread are played by threads of the agent"


def notes(collection: Collection, configuration: str = "") -> Iterator[str]:
    """Yields remarks that must accompany N, the number of stimuli."""
    experiment = collection.plan.experiment
    edge = experiment.trigger == "rising edge"
    if experiment.case == "t7":
        # Where the cores are in their arrays when a batch begins follows from the one before.
        yield (
            "with cores that write to memory the latencies depend on the length of the batches, "
            f"{collection.plan.batch_s:g} s here; compare runs of the same --batch alone"
        )
    if collection.plan.machine.name == under_linux.NAME and experiment.markers == "stages":
        yield from _of_the_module(configuration)
    if _served_elsewhere(collection):
        yield from unserved(collection)
    for channel in collection.channels:
        yield from channel.counters.notes(edge)
        if channel.queue:
            yield from _of_queue(channel)
    if collection.stm is not None:
        yield from collection.stm.notes()
    if collection.expired:
        yield f"{collection.expired} pulses ended without their acknowledgement"
    if held := collection.totals["held"]:
        yield f"{held} interrupts were ended with their line still high, and fired again"
    # Background interrupts are the case's own where it has them.
    others = 0 if collection.plan.experiment.background else collection.totals["others"]
    if collection.totals["spurious"] or others:
        spurious = collection.totals["spurious"]
        yield f"the firmware saw {spurious} spurious and {others} other interrupts"
