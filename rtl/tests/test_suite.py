"""A suite whose items name cores of their own, from its file to its card."""

import json

from irqscope.campaign.suite import load, run_suite
from irqscope_papers.card import write_card
from irqscope_rtl.cores import ROOT

EXPERIMENTS = ROOT / "experiments" / "cv32rt"
ITEM = """
[[items]]
file = "{file}.toml"
target = "rtl:{core}"
paper = {{ count = 10 }}
"""


class Silent:
    """A progress bar that shows nothing."""

    def begin(self, name):
        return self

    def __getattr__(self, name):
        return lambda *arguments, **named: None


def test_each_item_is_run_on_its_core_and_the_card_has_both(soft, tmp_path):
    text = 'name = "both"\ncard = "cv32rt"\n'
    for file, core in (("clint", "cv32e40p"), ("nxti", "cv32e40p-clic")):
        (tmp_path / f"{file}.toml").write_text((EXPERIMENTS / f"{file}.toml").read_text())
        text += ITEM.format(file=file, core=core)
    (tmp_path / "suite.toml").write_text(text)
    out = tmp_path / "out"
    loaded = load(tmp_path, "paper")
    assert run_suite(loaded, "twin", out, Silent()).exit_code == 0
    record = json.loads((out / "suite.json").read_text())
    assert {name: item["state"] for name, item in record["items"].items()} == {
        "clint-cv32e40p": "valid",
        "nxti-cv32e40p-clic": "valid",
    }
    plain, clic = record["label"].split("; ")
    assert plain.startswith("RTL simulation of cv32e40p 1.")
    assert clic.startswith("RTL simulation of cv32e40p-clic 1.")
    assert clic.endswith("with CLIC (draft of 2021-07-20)")
    write_card(out)
    rows = json.loads((out / "card.json").read_text())["cv32rt"]["rows"]
    assert [(row["least"], row["most"], row["verdict"]) for row in rows] == [
        (33, 33, "equal to the printed 33"),
        (42, 42, "equal to the printed 42; at the handler's first instruction +2"),
    ]
    assert [f"RTL simulation of {row['core']}" for row in rows] == [plain, clic]
    repeated = run_suite(loaded, "twin", out, Silent())
    assert all(item.kept for item in repeated.record.items.values())
