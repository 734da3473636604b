"""Describes a fault that a firmware reports: of its stack, the STM, or the gateware."""

from __future__ import annotations

from irqscope import constants
from irqscope.constants import Marker
from irqscope.link.codec import Reply
from irqscope.link.messages import StackFault, StmState


def stack_fault(fault: int, code: int) -> str:
    """Describes the fault of a port in the terms of its author."""
    texts: dict[int, str] = {
        StackFault.NO_VECTORS: "stack_prepare does not install its vectors",
        StackFault.NOT_TAKEN: f"interrupt {code} is not taken when it is pending and unmasked",
        StackFault.NO_MARKER: "the measured interrupt's handler makes no marker, or two",
        StackFault.WRONG_MARKER: f"the handler's marker has code {code}, not {Marker.HANDLER:d}; "
        "did stack_begin make the first marker word?",
        StackFault.NOT_COUNTED: f"one interrupt was handled, stack_core()->handled is {code}",
        StackFault.NOT_ENDED: f"the handler of interrupt {code} does not end it",
        StackFault.NOT_FINISHED: "the interrupt that ends a batch does not set finished",
        StackFault.NOT_DISABLED: f"the handler of interrupt {code}, which ends a batch, does not "
        "disable it",
        StackFault.UNMASKED: "stack_wait returns with interrupts unmasked",
        StackFault.NOT_WAITING: "stack_wait returns before the batch has ended",
    }
    return texts.get(fault, f"fault {fault} ({code})")


def stm_fault(reply: Reply) -> str:
    """Why STM or ETF is not ready, from an STM reply."""
    texts: dict[int, str] = {
        StmState.CLOCK_STOPPED: "its clock is still",
        StmState.NO_STM: "another part is where the STM should be",
        StmState.NO_ETF: "another part is where the ETF should be",
        StmState.NOT_TRACED: "stores of secure software are not traced",
        StmState.NO_TIME: "its time is still",
        StmState.NO_MEMORY: f"the ETF does not become ready ({reply.memory_words} words)",
    }
    text = texts.get(reply.state, f"state {reply.state}")
    read = (f"{name.upper()} {word:#010x}" for name, word in reply.registers.items())
    return f"{text} ({', '.join(read)})"


def gateware_errors(word: int) -> dict[str, str]:
    """Describes the gateware's sticky errors: by name, those set in its register."""
    return {
        name: text.replace(
            "n was", f"{[n for n in range(bits.width) if bits.of(word) >> n & 1]} was"
        )
        for name, (bits, text) in constants.ERRORS.items()
        if bits.of(word)
    }
