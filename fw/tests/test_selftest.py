"""The self-test on stock QEMU: an implementation of GIC, timer and UART that is not ours."""

from pathlib import Path

TRANSCRIPT = Path(__file__).resolve().parent.parent / "selftest" / "transcript.txt"

# What QEMU 7.2 says about this machine whatever runs on it, and the registers that the self-test
# uses and QEMU has not: UART0_REF_CTRL, and those of PMU_GLOBAL by which cores are given power.
ALLOWED = (
    "DPDMA client not attached to valid DPDMA instance",
    "eFuse write error: Array write-locked",
    "Invalid read at addr 0xFF5E0074",
    "Invalid read at addr 0xFFD80100",
    "Invalid read at addr 0xFFD80110",
    "Invalid write at addr 0xFFD80118",
    "Invalid write at addr 0xFFD80120",
)


def test_transcript_on_qemu_is_that_of_every_other_machine(qemu):
    machine = qemu("selftest.elf")
    received = machine.read_until(b"SELFTEST PASS\n", 30).decode()
    assert received == TRANSCRIPT.read_text()
    unknown = [line for line in machine.complaints() if not any(text in line for text in ALLOWED)]
    assert unknown == []


def test_transcript_is_a_pass():
    lines = TRANSCRIPT.read_text().splitlines()
    assert lines[-1] == "SELFTEST PASS"
    assert len(lines) > 1
    assert all(line.startswith("ok ") for line in lines[:-1])
