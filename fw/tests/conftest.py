"""Fixtures of the firmware's tests: tools, builds, and QEMU with a serial line."""

import fcntl
import importlib.util
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path

import pytest
from cobs import cobs

from irqscope.link import messages
from objects import seed

FIRMWARE = Path(__file__).resolve().parent.parent
BUILD = FIRMWARE.parent / "build"

REPLY_S = 60  # longest wait for an answer


def _need(tool, package):
    """Path of a program. Without it the test fails in CI, elsewhere it is skipped, saying why."""
    path = shutil.which(tool)
    if path is None:
        message = f"no {tool}: install the Debian package {package}"
        if os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return path


@pytest.fixture(scope="session")
def need():
    """``need(tool, package)``: path of a program; skips the test with a reason if it is missing."""
    return _need


@pytest.fixture(scope="session")
def firmware():
    """Folder of the sources."""
    return FIRMWARE


def make(*arguments):
    """Runs make in fw/, with this Python's programs first in PATH."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "fw-tests.lock").open("w") as lock:  # two workers would write the same files
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = subprocess.run(
            ["make", "--no-print-directory", *arguments],
            cwd=FIRMWARE,
            env={**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )
    assert process.returncode == 0, process.stdout


@pytest.fixture(scope="session", name="make")
def _make():
    """``make(*arguments)`` in the folder of the sources."""
    return make


@pytest.fixture(scope="session", params=["zig", "gcc"])
def build(request):
    """Folder with the ELF files of the ZynqMP of one compiler."""
    if request.param == "zig":
        make()
        return BUILD / "fw"
    _need("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
    make("gcc")
    return BUILD / "fw-gcc"


@pytest.fixture(scope="session", params=["zig", "gcc"])
def build_zynq7000(request):
    """Folder with the ELF files of the Zynq-7000 of one compiler."""
    if request.param == "zig":
        make("MACHINE=zynq7000")
        return BUILD / "fw-zynq7000"
    _need("arm-none-eabi-gcc", "gcc-arm-none-eabi")
    make("MACHINE=zynq7000", "gcc")
    return BUILD / "fw-zynq7000-gcc"


@pytest.fixture(scope="session")
def freertos(build):
    """The program with FreeRTOS, in the same folder. No kernel: fails with the build's own line."""
    compiler = ["CC=aarch64-linux-gnu-gcc"] if build.name == "fw-gcc" else []
    make("STACK=freertos", f"BUILD=../build/{build.name}", *compiler)
    return build / "irqscope-freertos.elf"


@pytest.fixture(scope="session")
def freertos_zynq7000(build_zynq7000):
    """The Zynq-7000's program with FreeRTOS, in the same folder."""
    compiler = ["CC=arm-none-eabi-gcc"] if build_zynq7000.name.endswith("-gcc") else []
    build = f"BUILD=../build/{build_zynq7000.name}"
    make("MACHINE=zynq7000", "STACK=freertos", build, *compiler)
    return build_zynq7000 / "irqscope-freertos.elf"


@pytest.fixture(scope="session")
def standalone(build):
    """The program with the stack in the shape of the vendor's, in the same folder."""
    compiler = ["CC=aarch64-linux-gnu-gcc"] if build.name == "fw-gcc" else []
    make("STACK=standalone", f"BUILD=../build/{build.name}", *compiler)
    return build / "irqscope-standalone.elf"


#: (BSP, FP) that the stack can be built with, in addition to (6.6, 0).
VARIANTS = {"6.2": ("6.2", 0), "6.1": ("6.1", 0), "6.6 with FP": ("6.6", 1)}


@pytest.fixture(scope="session")
def variant(build, standalone, tmp_path_factory):
    """``variant(name)``: the stack standalone in another shape, by the same compiler."""
    built = {}

    def of(name):
        if name not in built:
            bsp, fp = VARIANTS[name]
            folder = seed(build, tmp_path_factory.mktemp("standalone") / "build")
            compiler = ["CC=aarch64-linux-gnu-gcc"] if build.name == "fw-gcc" else []
            make("STACK=standalone", f"BSP={bsp}", f"FP={fp}", f"BUILD={folder}", *compiler)
            built[name] = folder / "irqscope-standalone.elf"
        return built[name]

    return of


#: Program of QEMU and its options. The ZCU102 with EL3 and EL2, as the chip has them. The Zynq as
#: QEMU 7.2 has it: one core, no secure state; UART1 behind UART0.
ZYNQMP = (
    "qemu-system-aarch64",
    ["-M", "xlnx-zcu102,secure=on,virtualization=on", "-smp", "4"],
)
ZYNQ7000 = ("qemu-system-arm", ["-M", "xilinx-zynq-a9", "-m", "512", "-serial", "null"])


class Qemu:
    """A running QEMU; the link's UART on pipes, or where ``serial`` says."""

    def __init__(self, machine, elf, log, options, serial):
        program, those_of_machine = machine
        self._log = log
        self._received = b""  # after all requested output so far
        self._session = 1
        self._messages = log.with_name("messages.txt").open("wb")  # not into what the UART says
        self._process = subprocess.Popen(
            [program, *those_of_machine, "-nographic", "-monitor", "none"]
            + ["-serial", serial, "-d", "guest_errors,unimp", "-D", log, "-kernel", elf, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            env={**os.environ, "QEMU_AUDIO_DRV": "none"},
        )

    def read_until(self, end, seconds):
        """Bytes up to and including ``end``; what there is if it does not come in time."""
        output = self._process.stdout.fileno()
        deadline = time.monotonic() + seconds
        received, self._received = self._received, b""
        while end not in received and (left := deadline - time.monotonic()) > 0:
            if select.select([output], [], [], left)[0]:
                piece = os.read(output, 4096)
                if not piece:
                    break
                received += piece
        before, actual, rest = received.partition(end)
        self._received = rest
        return before + actual

    def send(self, data):
        """Bytes to UART0."""
        self._process.stdin.write(data)
        self._process.stdin.flush()

    def exchange(self, kind, number, payload=b"", seconds=REPLY_S):
        """Sends a request of the session; (kind, number, payload) of the reply."""
        self.send(frame(kind, self._session, number, payload))
        reply = self.receive(seconds)
        if reply is None:
            return None
        kind, session, *answer = reply
        assert session == self._session
        return kind, *answer

    def receive(self, seconds=REPLY_S):
        """Returns (kind, session, number, payload) of the next frame, or None if it is late."""
        received = self.read_until(b"\0", seconds)
        if not received.endswith(b"\0"):
            self._received = received  # the rest is still to come
            return None
        decoded = cobs.decode(received[:-1])
        assert zlib.crc32(decoded[:-4]) == int.from_bytes(decoded[-4:], "little")
        version, kind, session, number = struct.unpack_from("<BBHI", decoded)
        assert version == messages.PROTOCOL_VERSION
        return kind, session, number, decoded[8:-4]

    def hello(self, seconds=REPLY_S):
        """Begins the session; the reply."""
        request = struct.pack("<H", messages.PROTOCOL_VERSION)
        return self.exchange(messages.HELLO.kind, 0, request, seconds)

    def settle(self):
        """Begins another session, and passes over answers of the one before."""
        self._session += 1
        self.send(frame(0x7B, self._session, 0))
        while (reply := self.receive()) and reply[1] != self._session:
            pass

    def complaints(self):
        """Lines that QEMU logged about accesses it does not know, without repetitions."""
        return sorted(set(self._log.read_text().splitlines()))

    def stop(self):
        """Ends it."""
        self._process.kill()
        self._process.communicate()
        self._messages.close()


def frame(kind, session, number, payload=b""):
    """An encoded frame with the zero that ends it."""
    head = struct.pack("<BBHI", messages.PROTOCOL_VERSION, kind, session, number) + payload
    return cobs.encode(head + zlib.crc32(head).to_bytes(4, "little")) + b"\0"


def _running(machine, build, tmp_path):
    _need(machine[0], "qemu-system-arm")
    running = []

    def start(name, *options, serial="stdio"):
        running.append(Qemu(machine, build / name, tmp_path / "qemu.log", options, serial))
        return running[-1]

    yield start
    for one in running:
        one.stop()


@pytest.fixture
def qemu(build, tmp_path):
    """Starts an ELF of ``build`` on stock QEMU: ``qemu(name, *options)`` is a :class:`Qemu`."""
    yield from _running(ZYNQMP, build, tmp_path)


@pytest.fixture
def qemu_zynq7000(build_zynq7000, tmp_path):
    """Starts an ELF of ``build_zynq7000`` on stock QEMU, as ``qemu`` does."""
    yield from _running(ZYNQ7000, build_zynq7000, tmp_path)


def _module(name):
    spec = importlib.util.spec_from_file_location(name, FIRMWARE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclass looks for its annotations
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def vector_path():
    """The module fw/vector_path.py."""
    return _module("vector_path")


@pytest.fixture(scope="session")
def firmware_hash():
    """The module fw/firmware_hash.py."""
    return _module("firmware_hash")


class Debugger:
    """The few commands of the GDB remote protocol that put a running core elsewhere."""

    PC = 0x20  # register number on AArch64

    def __init__(self, path):
        self._socket = socket.socket(socket.AF_UNIX)
        deadline = time.monotonic() + REPLY_S
        while True:
            try:
                self._socket.connect(str(path))
                break
            except (FileNotFoundError, ConnectionRefusedError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)
        self._socket.settimeout(REPLY_S)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def _command(self, text):
        packet = f"${text}#{sum(text.encode()) & 0xFF:02x}"
        self._socket.sendall(packet.encode())

    def _reply(self):
        received = b""
        while received[-3:-2] != b"#":
            received += self._socket.recv(1)
        self._socket.sendall(b"+")
        text = received.lstrip(b"+")[1:-3].decode()
        return self._reply() if text.startswith("T") else text  # T: a core has stopped

    def continue_at(self, address, core=0):
        """Sets a stopped core's PC and lets all run; connecting has stopped them."""
        self._command("qXfer:features:read:target.xml:0,fff")  # QEMU wants it before P
        self._reply()
        self._command(f"Hg{core + 1:x}")
        assert self._reply() == "OK"
        self._command(f"P{self.PC:x}={address.to_bytes(8, 'little').hex()}")
        assert self._reply() == "OK"
        self._command("D")
        assert self._reply() == "OK"


@pytest.fixture
def debugger():
    """Connects to a socket: ``debugger(path)`` gives a :class:`Debugger`."""
    return Debugger
