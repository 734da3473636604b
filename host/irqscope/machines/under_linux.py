"""A machine as a thread under Linux meets it (fw/machine/linux): one core, and lines by UIO."""

from __future__ import annotations

from functools import cache

from irqscope.machines.generated import ZYNQMP
from irqscope.machines.model import Counter, Machine, Twin

NAME = "linux"
#: The one software stack that the agent has (fw/stacks/uio).
STACK = "uio"
#: Stages for which the agent has a marker, of :data:`~irqscope.results.tables.STAGES`.
STAGES = ("handler", "done")
#: Marker source of the kernel's module (fw/module); the agent's thread is source 0.
MODULE_SOURCE = 1
#: Stages for which the module has a marker, by its name for them in the agent's facts.
_MODULE_STAGES = {"hard handler": "vector", "interrupt thread": "task"}
_PLAYED = "played: "
#: Names of the stages under Linux, in the order in which an answer passes them.
STAGE_TITLES = {
    "vector": "hard handler",
    "task": "interrupt thread",
    "handler": "user thread",
    "done": "done",
}
#: What its gateware says where this computer simulates it by its own clock.
SIMULATION = 0x7FFF

_CASE = "t2"
_KERNEL = "Linux has the interrupt controller to itself"
_CACHES = "Linux keeps the caches on, and no thread may empty them"
_REASONS: dict[str, dict[str, str]] = {
    "case": {
        "t1": "Linux keeps the caches on",
        "t3": _CACHES,
        "b-lmin": "write t2, which is the same here",
        "cache-state": _CACHES,
        "random-load": "the load beside the thread is a program's, such as stress-ng",
        "t7": "the load beside the thread is a program's, such as stress-ng",
        "t4": _KERNEL,
        "t5": _KERNEL,
        "t6": "one thread is measured",
        "t6-spi": "one thread is measured",
        "b-lmax": "one thread is measured",
        "b-tmax": "one thread is measured",
        "placement": "the agent runs no code that a host names",
        "external": "the agent does not read the pins of the gateware",
        "program": "the program is the thread itself",
        "switch-yield": "the scheduler is the kernel's",
        "switch-notification": "the scheduler is the kernel's",
    },
    "stack": dict.fromkeys(
        ("baremetal", "freertos", "standalone", "template"),
        f'the agent is the stack; write stack = "{STACK}"',
    ),
    "placement": {"ocm": "Linux places the thread"},
    "pages": dict.fromkeys(("1 GB", "16 MB", "2 MB", "1 MB"), "Linux translates by pages of 4 KB"),
    "memory": {"non-cacheable": "Linux maps normal memory as cacheable"},
    "lockdown": dict.fromkeys(("tlb", "tlb+l2"), "the Cortex-A53 locks nothing"),
    "state": dict.fromkeys(("tlb", "bp", "l1i", "l1d", "l2"), _CACHES),
    "markers": dict.fromkeys(("paper+stm", "stm+paper"), "the STM is not mapped for user space"),
    "interrupt": {
        "private": "a core's own interrupt stays with the kernel",
        "software": "a thread raises no interrupt of the controller (SGI)",
    },
    "clock_divisor": {"more than 1": "the clock is the kernel's"},
    "warm_up": {"more than 0": "no thread can make a line's interrupt pending; write warm_up = 0"},
    "timer_tick": {"any": "the timer tick is the kernel's; leave the table out"},
}


def module_stages(configuration: str) -> tuple[str, ...]:
    """Return the stages that the kernel's module marks, from the configuration of the stack."""
    names = fact(configuration, "module").removeprefix(_PLAYED).split(", ")
    return tuple(_MODULE_STAGES[name] for name in names if name in _MODULE_STAGES)


def is_played(configuration: str) -> bool:
    """Return whether threads of the agent play the module's handlers."""
    return fact(configuration, "module").startswith(_PLAYED)


def programs(configuration: str) -> dict[str, str]:
    """Return the commands of the programs that the agent may start, by name, in its order."""
    before, _, _ = configuration.partition("; command line ")
    parts = (part.removeprefix("program ") for part in before.split("; ") if "program " in part[:8])
    named = (part.partition(": ") for part in parts)
    return {name: command for name, _, command in named}


def fact(configuration: str, key: str) -> str:
    """Return a fact of the agent (fw/machine/linux/kernel.c) by its key, or "unknown"."""
    before, _, _ = configuration.partition("; command line ")
    parts = (part for part in before.split("; ") if part.startswith(f"{key} "))
    return next(parts, "unknown").removeprefix(f"{key} ")


@cache
def under_linux(number: int) -> Machine:
    """The machine of that number under Linux. Raises LookupError if it has no agent."""
    if number != ZYNQMP.number:
        raise LookupError(number)
    machine = ZYNQMP
    has = machine.has.model_copy(
        update={
            "case": (_CASE,),
            "stack": (STACK,),
            "pages": ("4 KB",),
            "memory": ("cacheable",),
            "markers": ("paper", "stages"),
            "clock_divisor": 1,
        }
    )
    interrupts = machine.interrupts.model_copy(
        update={
            "controller": "GIC-400, by Linux",
            "shared": machine.interrupts.shared.model_copy(update={"senses": ("level",)}),
            "private": None,
            "software": None,
        }
    )
    cores = {"count": 1, "mode": "a thread of user space under Linux"}
    return machine.model_copy(
        update={
            "name": NAME,
            "title": f"{machine.title} under Linux",
            "cores": machine.cores.model_copy(update=cores),
            "counter": Counter(hz=1_000_000_000),
            "interrupts": interrupts,
            "placements": machine.placements[:1],
            "memory": machine.memory.model_copy(update={"arrays_kib": 0}),
            "has": has,
            "emptied": {},
            "unsupported": _REASONS,
            "twins": (Twin(profile="wallclock", number=SIMULATION),),
        }
    )
