"""Claims of docs/a9.md about the 32 states that an article measured on this chip."""

import a9_article
import pytest


@pytest.fixture(scope="module")
def rows():
    return a9_article.rows()


def test_nine_rows_are_taken_and_come_out(rows):
    measured = [row for row in rows if row.taken]
    assert len(rows) == 32
    assert len(measured) == 9
    assert max(abs(row.off[0]) for row in measured) < 0.08


def test_the_others_are_predicted_as_the_manual_says(rows):
    minimum, greatest = zip(*(map(abs, row.off) for row in rows if not row.taken), strict=True)
    assert len(minimum) == 23
    assert sum(each <= 0.05 for each in minimum) >= 18
    assert max(minimum) < 0.085
    assert sum(each <= 0.05 for each in greatest) >= 11
    assert max(greatest) < 0.35
    output = " ".join(a9_article.summary(rows))
    assert "the least: " in output and "the greatest: " in output


@pytest.mark.parametrize(
    ("column", "least"),
    [
        (("ddr", "cacheable"), 0.95),
        (("ocm", "cacheable"), 0.95),
        (("ddr", "non-cacheable"), 0.95),
        (("ocm", "non-cacheable"), 0.75),
    ],
)
def test_the_order_of_the_states_is_the_articles(rows, column, least):
    assert a9_article.ranks(rows, column) >= least


def test_a_state_that_empties_more_takes_no_less(rows):
    """But for the few cycles by which the timer and an emptied predictor shift what follows."""
    for row in rows:
        for other in rows:
            if row.column == other.column and set(row.state) > set(other.state):
                assert row.found[0] >= other.found[0] - 4, (row, other)
