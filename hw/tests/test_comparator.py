import pytest

from irqscope_hw.comparator import Comparator
from irqscope_hw.constants import COMPARE_DELAY

from .simulation import Timed, simulate

pytestmark = [pytest.mark.quick, pytest.mark.once]

WRAP = 1 << 64


def hits(initial, loads, clears=(), ticks=40, skips=None):
    """Ticks in which ``hit`` is high, and those in which ``valid`` is.

    ``loads``: tick -> target; ``skips``: tick -> tick that follows instead.
    """
    dut = Comparator()
    timed = Timed(dut, initial)
    hit, valid = [], []

    async def testbench(ctx):
        for _ in range(ticks):
            now = timed.now(ctx)
            ctx.set(dut.load, now in loads)
            ctx.set(dut.value, loads.get(now, 0))
            ctx.set(dut.clear, now in clears)
            ctx.set(timed.timebase.skip, now in (skips or {}))
            ctx.set(timed.timebase.skip_to, (skips or {}).get(now, 0))
            if ctx.get(dut.hit):
                hit.append(now)
            if ctx.get(dut.valid):
                valid.append(now)
            await ctx.tick()

    simulate(timed, testbench)
    return hit, valid


@pytest.mark.parametrize("distance", range(COMPARE_DELAY + 1, 20))
def test_hits_one_tick_before_a_target_and_then_has_none(distance):
    hit, valid = hits(100, {105: 105 + distance})
    assert hit == [105 + distance - 1]
    assert valid == list(range(106, 105 + distance))


@pytest.mark.parametrize("distance", range(-2, COMPARE_DELAY + 1))
def test_a_target_loaded_too_late_waits_for_the_wrap(distance):
    hit, valid = hits(100, {105: 105 + distance})
    assert hit == []
    assert valid == list(range(106, 140))


@pytest.mark.parametrize("bit", range(16, 64, 16))
@pytest.mark.parametrize("offset", [-2, -1, 0, 1, 2])
def test_compares_all_slices_in_one_tick(bit, offset):
    target = (1 << bit) + offset
    assert hits(target - 20, {target - 18: target})[0] == [target - 1]


def test_a_target_that_differs_in_one_slice_only_is_another():
    assert hits(100, {101: 120 + (1 << 48)})[0] == []


def test_wraps_with_the_timebase():
    assert hits(WRAP - 10, {WRAP - 8: 3})[0] == [2]


@pytest.mark.parametrize("reload", range(105, 121))
def test_a_new_target_owes_nothing_to_the_old_one(reload):
    hit, _ = hits(100, {101: 120, reload: 130})
    # The last moment to stop the old one is the tick before its hit, 118.
    assert hit == ([129] if reload <= 118 else [119, 129])


@pytest.mark.parametrize("clear", range(105, 121))
def test_clear_forgets_the_target_and_the_pipeline(clear):
    hit, valid = hits(100, {101: 120}, clears={clear})
    assert hit == ([] if clear <= 118 else [119])
    assert max(valid) == min(clear, 119)


def test_load_wins_over_clear():
    assert hits(100, {101: 120}, clears={101})[0] == [119]


@pytest.mark.parametrize("landing", range(1, 7))
def test_a_skip_may_land_lead_ticks_before_a_target_and_no_later(landing):
    hit, _ = hits(100, {101: 5000}, skips={110: 5000 - landing})
    assert hit == ([4999] if landing >= COMPARE_DELAY else [])
