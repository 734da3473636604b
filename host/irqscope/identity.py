"""Who answered the hello, and whether this host was built for it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from irqscope import constants
from irqscope.constants import Source
from irqscope.errors import TargetError
from irqscope.link.link import version_error
from irqscope.protocol.codec import Reply
from irqscope.protocol.messages import PROTOCOL_VERSION

#: Major version of the firmware that this host was built for.
FIRMWARE_MAJOR = 0
#: Bit of the source that says that a fault is injected.
FAULTY = Source.TWIN_FUNCTIONAL ^ Source.TWIN_FUNCTIONAL_FAULT
#: Name of what drives the gateware, and of its timing profile.
_SOURCES = {
    Source.ZCU102: ("zcu102", None),
    Source.TWIN_FUNCTIONAL: ("twin", "functional"),
    Source.TWIN_A53: ("twin", "a53"),
    Source.TWIN_FUNCTIONAL_FAULT: ("twin", "functional"),
    Source.TWIN_A53_FAULT: ("twin", "a53"),
}


@dataclass(frozen=True)
class Identity:
    """The words of the hello. ``tick_hz``: PL clock; hashes: first 32 bits of a sha256."""

    protocol: int
    magic: int
    version: int
    build_hash: int
    tick_hz: int
    geometry: int
    sizes: int
    source: int
    source_hash: int
    firmware_hash: int
    firmware_version: int
    midr: int
    cntfrq_hz: int
    cpu_hz: int
    uart_ref_hz: int
    baud: int
    max_baud: int
    exception_level: int
    cores: int
    max_payload: int
    #: How a twin differs from the profile that it names: "gic.path = 45 ns", "fault spi-dead".
    deviation: str = ""

    @property
    def target(self) -> str:
        """``zcu102`` or ``twin``."""
        return _SOURCES[Source(self.source)][0]

    @property
    def profile(self) -> str | None:
        """Name of the twin's timing profile; None on a board."""
        return _SOURCES[Source(self.source)][1]

    @property
    def faulty(self) -> bool:
        """A twin with a fault injected."""
        return bool(self.source & FAULTY)

    @property
    def label(self) -> str:
        """What stands on every plot."""
        if self.profile is None:
            return self.target
        # A twin that somebody else started tells that it has a fault, not which.
        deviation = self.deviation or ("a fault" if self.faulty else "")
        timing = f"with {deviation}" if deviation else "timing"
        return f"{self.target}, {self.profile} {timing}"

    def as_dict(self) -> dict[str, int | str]:
        """For ``run.json``: hashes and code words in hexadecimal, the rest as numbers."""
        hexadecimal = {"magic", "version", "geometry", "sizes", "firmware_version", "midr"}
        return {
            name: f"{value:#010x}" if name in hexadecimal or name.endswith("_hash") else value
            for name, value in asdict(self).items()
        }


def identify(hello: Reply, deviation: str = "") -> Identity:
    """The identity, if this host can work with it; else TargetError with both sides."""
    if hello.protocol != PROTOCOL_VERSION:
        raise version_error(hello.protocol)
    identity = Identity(**hello.values, deviation=deviation)
    _equal("magic", identity.magic, constants.MAGIC, "load irqscope's bitstream")
    same = "install the bitstream and the firmware that belong to this irqscope"
    major = constants.VERSION_MAJOR
    _equal("register map", major.of(identity.version), major.of(constants.VERSION), same)
    _equal("firmware major version", identity.firmware_version >> 16, FIRMWARE_MAJOR, same)
    _equal("geometry", identity.geometry, constants.GEOMETRY, same)
    _equal("sizes", identity.sizes, constants.SIZES, same)
    if identity.source not in _SOURCES:
        raise TargetError(f"the target names its kind {identity.source}, unknown here; {same}")
    if not identity.tick_hz:
        raise TargetError(f"the target names a clock of 0 Hz; {same}")
    return identity


def wrong_gateware(magic: int, version: int) -> TargetError:
    """The firmware met gateware that it was not built for; both sides."""
    return TargetError(
        f"gateware: the firmware found magic {magic:#x} version {version:#x}, this irqscope is "
        f"built for magic {constants.MAGIC:#x} version {constants.VERSION:#x}; "
        "load the bitstream that belongs to this irqscope"
    )


def wrong_protocol() -> TargetError:
    """The firmware refused our version of the protocol without telling its own."""
    return TargetError(
        f"the firmware refuses protocol version {PROTOCOL_VERSION}, that of this irqscope; "
        "install the firmware that belongs to this irqscope"
    )


def _equal(name: str, theirs: int, ours: int, remedy: str) -> None:
    if theirs != ours:
        raise TargetError(f"{name}: target {theirs:#x}, this irqscope {ours:#x}; {remedy}")
