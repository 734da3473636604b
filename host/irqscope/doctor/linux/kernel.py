"""Advice on a kernel's configuration, from the line of facts that the agent reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from irqscope.machines.under_linux import fact

_PARAMETERS = "Documentation/admin-guide/kernel-parameters.txt of the kernel"


@dataclass(frozen=True)
class Advice:
    """A setting that is not as measurements of latency want it.

    Attributes:
        found: The setting as the kernel tells it.
        cost: Its cost in latency, and the better setting.
        source: The document that says so.
    """

    found: str
    cost: str
    source: str

    def __str__(self) -> str:
        return f"{self.found}: {self.cost} ({self.source})"


@dataclass(frozen=True)
class Facts:
    """The line of facts of the agent (fw/machine/linux/kernel.c), by part."""

    realtime: bool
    governor: str
    isolated: str
    thread: str
    affinity: str
    command_line: str

    @classmethod
    def of(cls, configuration: str) -> Facts:
        """Return the facts of a stack's configuration, with "unknown" for those it lacks."""
        return cls(
            realtime=fact(configuration, "PREEMPT_RT") == "yes",
            governor=fact(configuration, "governor"),
            isolated=fact(configuration, "isolated"),
            thread=fact(configuration, "thread"),
            affinity=fact(configuration, "IRQ affinity"),
            command_line=configuration.partition("; command line ")[2],
        )

    def has(self, parameter: str) -> bool:
        """Whether the kernel was started with a parameter, with a value or without."""
        return re.search(rf"(?:^| ){re.escape(parameter)}(?:=| |$)", self.command_line) is not None

    @property
    def cpu(self) -> str | None:
        """Number of the CPU that the thread is pinned to, or None."""
        match = re.search(r"on CPU (\d+)$", self.thread)
        return match[1] if match else None


def advice(facts: Facts) -> Iterator[Advice]:
    """Yield what is not as it should be, the most costly first."""
    if not facts.realtime:
        yield Advice(
            "PREEMPT_RT no",
            "kernel code that cannot be preempted delays the thread, by how much nothing bounds; "
            "a PREEMPT_RT kernel preempts nearly all of it",
            "kernel/Kconfig.preempt of the kernel",
        )
    if not facts.thread.startswith("SCHED_FIFO"):
        yield Advice(
            f"thread {facts.thread}",
            "every other thread may run first; start the agent as root, with --priority 80",
            "sched(7)",
        )
    if facts.cpu is None:
        yield Advice(
            "thread on no CPU of its own",
            "it moves between CPUs and meets cold caches; start the agent with --cpu",
            "sched_setaffinity(2)",
        )
    yield from _cpus(facts)
    if facts.governor not in ("performance", "unknown"):
        yield Advice(
            f"governor {facts.governor}",
            "an idle CPU is clocked down, so the answer begins slowly; take performance",
            "Documentation/admin-guide/pm/cpufreq.rst of the kernel",
        )
    if not facts.realtime and not facts.has("threadirqs"):
        yield Advice(
            "threadirqs missing",
            "handlers of other devices run before the thread, whatever its priority; with "
            "threadirqs they are threads, whose priority can be lower",
            f"{_PARAMETERS}, threadirqs",
        )


def _cpus(facts: Facts) -> Iterator[Advice]:
    """Yield what disturbs the thread's CPU."""
    if facts.isolated == "none":
        yield Advice(
            "isolated CPUs none",
            "the scheduler puts other threads on the measured CPU; isolcpus=N keeps it free",
            f"{_PARAMETERS}, isolcpus",
        )
    elif facts.cpu is not None and facts.cpu not in _numbers(facts.isolated):
        yield Advice(
            f"thread on CPU {facts.cpu}, isolated {facts.isolated}",
            "the thread is not on an isolated CPU; start the agent with --cpu of one of them",
            f"{_PARAMETERS}, isolcpus",
        )
    if not facts.has("rcu_nocbs"):
        yield Advice(
            "rcu_nocbs missing",
            "RCU's callbacks run on the measured CPU in softirqs; rcu_nocbs=N moves them away",
            f"{_PARAMETERS}, rcu_nocbs",
        )
    if facts.affinity == "unknown" or facts.cpu is None:
        return
    if _numbers(facts.affinity) != {facts.cpu}:
        yield Advice(
            f"IRQ affinity {facts.affinity}",
            "the line may interrupt another CPU than the thread's, whose wake-up then crosses "
            "CPUs; write the thread's CPU to /proc/irq/N/smp_affinity_list",
            "Documentation/core-api/irq/irq-affinity.rst of the kernel",
        )


def _numbers(text: str) -> set[str]:
    """The CPUs of a list such as "0-1,3"."""
    numbers: set[str] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        if first.isdecimal() and (last or first).isdecimal():
            numbers |= {str(n) for n in range(int(first), int(last or first) + 1)}
    return numbers
