"""Profile a9: each mechanism costs what the table says, on programs of a few instructions."""

from functools import partial

import pytest

import board
from board import TESTS, Kit
from irqscope_twin import profile

A9 = Kit(board.ZYNQ7000.programs, board.ZYNQ7000.target, "a9")
values = partial(board.values, kit=A9)
TABLE = {row.name: row.value for row in profile.load("a9").table}
#: A chain of loads: data to address.
LINK = TABLE["issue.load"] + TABLE["issue.address"]
START = '#include "translation.h"\n'
assert (TESTS / "programs_a32" / "translation.h").exists()


def measured(body, before="", **defines):
    return values(f"{START}{before} void test(void) {{ translation_start(); {body} }}", **defines)


def test_a_chain_of_loads_costs_what_the_level_costs_that_holds_it():
    # 8 KB stay in L1, 128 KB in L2; 2 MB come from DDR; the marked section goes past all caches.
    hot, second, ddr, ocm, uncached = measured("""
        make_chain(0x8000000, 32, 256); chase(0x8000000, 256);
        print(chase(0x8000000, 2048));
        make_chain(0x8000000, 32, 4096); chase(0x8000000, 4096);
        print(chase(0x8000000, 4096));
        empty_l1d(); empty_l2();
        make_chain(0x9000000, 4096, 512); empty_l1d(); empty_l2();
        print(chase(0x9000000, 512));
        make_chain(OCM, 32, 4096); empty_l1d();
        print(chase(OCM, 4096));
        make_chain(0x18000000, 64, 256);
        print(chase(0x18000000, 256));
    """)
    address = TABLE["issue.address"]
    assert hot / 100 == pytest.approx(LINK, rel=0.03)
    assert second / 100 == pytest.approx(TABLE["l2.load"] + address, rel=0.03)
    assert ocm / 100 == pytest.approx(TABLE["ocm.load"] + address, rel=0.03)
    # A refresh is met now and then.
    more = TABLE["ddr.refresh"] / TABLE["ddr.refresh_period"] * TABLE["ddr.refresh"] / 1.5
    assert TABLE["ddr.load"] <= ddr / 100 <= TABLE["ddr.load"] + address + more + 8
    assert TABLE["ddr.uncached"] <= uncached / 100 <= TABLE["ddr.uncached"] + address + more + 4


def test_loads_that_do_not_depend_overlap_and_those_past_the_caches_do_not():
    four = """
        TIMED(four, base, "ldr r4, [%0]\\n ldr r5, [%0, #32]\\n ldr r6, [%0, #64]\\n"
              "ldr r7, [%0, #96]", "r4", "r5", "r6", "r7")
    """
    second, uncached = measured(
        """
        four(0x8000000); empty_l1d(); print(four(0x8000000));
        four(0x18000000); print(four(0x18000000));
    """,
        four,
    )
    assert second < 2 * TABLE["l2.load"] + TABLE["barrier.dsb"] + 20
    assert uncached >= 4 * TABLE["ddr.uncached"]


def test_two_instructions_that_do_not_depend_issue_together_and_a_chain_does_not():
    both = """
        TIMED(apart, none, ".rept 200\\n add r4, r4, #1\\n add r5, r5, #1\\n .endr", "r4", "r5")
        TIMED(chained, none, ".rept 200\\n add r4, r4, #1\\n add r4, r4, #1\\n .endr", "r4")
    """
    together, chain = measured("apart(0); print(apart(0)); chained(0); print(chained(0));", both)
    assert together == pytest.approx(200, abs=40)
    assert chain == pytest.approx(400, abs=40)


def test_emptied_predictors_cost_a_mispredict_for_each_branch_taken():
    walk = """
        TIMED(walk, none, "b 1f\\n nop\\n 1: b 2f\\n nop\\n 2: b 3f\\n nop\\n 3: b 4f\\n nop\\n 4:",
              "r4")
    """
    warm, cold, by_icache = measured(
        """
        walk(0); walk(0); print(walk(0));
        MCR(c7, 0, c5, 6, 0); print(walk(0));
        walk(0); walk(0); MCR(c7, 0, c5, 0, 0); print(walk(0));
    """,
        walk,
    )
    assert cold - warm == pytest.approx(4 * (TABLE["branch.mispredict"] - 1), abs=4)
    assert by_icache > cold  # the same, and the lines of instructions


@pytest.mark.parametrize(
    ("address", "reads"),
    [(0x8000000, 1), (0x10001000, 2), (0xF8F00200, 1)],
    ids=["section", "page", "device"],
)
def test_a_walk_costs_its_reads_of_the_tables_in_l2(address, reads):
    warm, cold = measured(
        """
        one(ADDRESS); one(ADDRESS); print(one(ADDRESS));
        MCR(c8, 0, c6, 1, ADDRESS); print(one(ADDRESS));
    """,
        ADDRESS=address,
    )
    walk = TABLE["tlb.micro_miss"] + TABLE["tlb.main_miss"] + reads * TABLE["l2.load"]
    # The data micro TLB has also lost the call stack's page: found in the main TLB.
    assert walk <= cold - warm <= walk + 2 * TABLE["tlb.micro_miss"] + 2


def test_a_section_of_16_mb_is_walked_for_once():
    for large, walk in ((1, 0), (0, TABLE["tlb.main_miss"] + TABLE["l2.load"])):
        warm, cold = measured(
            """
            for (u32 i = 0xC0; i < 0xD0; i++) /* none of it lies beyond 4 GB */
                table[i] = LARGE ? 0xC000000 | (CACHED & ~0x1E0) | 0x40000 : i << 20 | CACHED;
            ASM("dsb"); MCR(c8, 0, c7, 0, 0); ASM("dsb\\n isb");
            one(0xC000000); one(0xC500040); one(0xC500040); print(one(0xC500040));
            MCR(c8, 0, c7, 0, 0); ASM("dsb\\n isb");
            one(0xC000000); print(one(0xC500040));
        """,
            LARGE=large,
        )
        assert cold - warm == pytest.approx(walk, abs=TABLE["tlb.micro_miss"] + 2), large


def test_a_locked_translation_outlives_what_drops_the_others():
    free, locked = measured("""
        (void)REG(0x8000000); (void)REG(0x8100000);
        MCR(c8, 0, c7, 0, 0);
        MCR(c10, 0, c0, 0, 1);
        (void)REG(0x8100000);
        MCR(c10, 0, c0, 0, 0);
        ASM("dsb\\n isb");
        u32 found[2];
        for (u32 i = 0; i < 3; i++) {
            (void)REG(0x8000000); (void)REG(0x8100000);
            MCR(c8, 0, c7, 0, 0); ASM("dsb\\n isb");
            (void)one(0x9000000);
            found[0] = one(0x8000000); found[1] = one(0x8100000);
        }
        print(found[0]); print(found[1]);
    """)
    assert free - locked == pytest.approx(TABLE["tlb.main_miss"] + TABLE["l2.load"], abs=3)


def test_a_way_that_is_locked_keeps_its_lines_in_l2():
    stored, lost = measured("""
        #define SET_STRIDE 65536 /* a way of the L2 */
        for (u32 round = 0; round < 2; round++) {
            empty_l1d(); empty_l2();
            for (u32 core = 0; core < 8; core++) { REG(L2 + 0x900 + 8 * core) = 0xFE; }
            ASM("dsb");
            (void)REG(0x8000000);
            ASM("dsb");
            for (u32 core = 0; core < 8; core++) { REG(L2 + 0x900 + 8 * core) = round ? 0 : 1; }
            ASM("dsb");
            for (u32 i = 1; i < 32; i++) (void)REG(0x8000000 + i * SET_STRIDE);
            empty_l1d();
            (void)one(0x8010020);
            print(one(0x8000000));
        }
    """)
    assert lost - stored == pytest.approx(TABLE["ddr.load"] - TABLE["l2.load"], abs=4)


def test_the_same_program_takes_the_same_time_again():
    program = "make_chain(0x9000000, 4096, 512); print(chase(0x9000000, 512));"
    assert measured(program) == measured(program)
