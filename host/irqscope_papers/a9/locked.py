"""Latency under random load with the path locked, compared with the article on lockdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from irqscope_papers.a9.printed import LOCKDOWN, LOCKED

#: In the order in which the card shows them.
FIGURES = ("min", "mean", "max")


def of_locked(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Each run in cycles, with the article's values for the same lockdown.

    ``off``: relative deviation of min, mean and max from the article's. ``of_none``: min, mean and
    max, here and in the article, relative to those without lockdown or other measures. ``article``
    and values derived from it are None if the article prints none.
    """
    return list(_rows(runs))


def _rows(runs: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    measured = [run for run in runs if run["latency"]]
    title = {run["name"]: _title(run["experiment"]) for run in measured}
    plain = next((r for r in measured if title[r["name"]] == LOCKED[None]), None)
    for run in measured:
        here = run["latency"]["cycles"]
        row: dict[str, Any] = {
            "name": run["name"],
            "description": run["experiment"]["description"],
            "n": run["latency"]["n"],
            "open": bool(run["latency"]["unanswered"]),
            "here": here,
            "of_none": _ratios(here, plain["latency"]["cycles"]) if plain else None,
            "article": None,
            "off": None,
            "article_of_none": None,
        }
        if (name := title[run["name"]]) is not None:
            article = _figures(name)
            row["article"] = article
            row["off"] = {key: ratio - 1 for key, ratio in _ratios(here, article).items()}
            row["article_of_none"] = _ratios(article, _figures("no lockdown"))
        yield row


def _title(experiment: dict[str, Any]) -> str | None:
    """Title of the article's distribution with the same lockdown, or None."""
    aside = (
        experiment["placement"],
        experiment["memory"],
        experiment["caches"],
        experiment["pages"],
        experiment["warm"],
    )
    return (
        LOCKED[experiment["lockdown"]] if aside == ("ddr", "cacheable", "on", None, False) else None
    )


def _figures(name: str) -> dict[str, float]:
    low, mean, high = LOCKDOWN[name]
    return {"min": low, "mean": mean, "max": high}


def _ratios(these: dict[str, float], those: dict[str, float]) -> dict[str, float]:
    return {key: these[key] / those[key] for key in FIGURES}
