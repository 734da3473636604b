"""Claims of docs/a53.md about measurements that no constant of profile a53 was taken from."""

import a53_witnesses
import pytest

#: Each miss is in the manual with its reason.
MISSED = {
    "loads at stride 128 through twice L2, other DDR",
    "32-bit multiplication",
    "64-bit multiplication",
    "32-bit division, of 2^25 by 37 and back",
    "64-bit division, of 2^51 by 2^38 and back",
    "memcpy of 4 MB, other DDR",
    "read of a register of the GIC's distributor, other interconnect",
}


@pytest.mark.parametrize("witness", a53_witnesses.WITNESSES, ids=lambda witness: witness.what)
def test_a_witness_is_hit_or_missed_as_the_manual_says(witness):
    assert witness.hit(witness.measure()) == (witness.what not in MISSED)


def test_every_miss_is_of_a_witness():
    assert not MISSED - {witness.what for witness in a53_witnesses.WITNESSES}


def test_the_gics_read_is_missed_over_the_whole_range_of_its_constant():
    (read,) = (witness for witness in a53_witnesses.WITNESSES if "distributor" in witness.what)
    assert not read.hit(read.measure("--set", "gic.path=55"))
