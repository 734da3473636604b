# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # A run, its tail, a comparison
#
# `jupytext --to ipynb notebook.py` makes a notebook of this file; it also runs as it is.

# %%
from pathlib import Path

from irqscope.library import compare, connect, load
from irqscope.results.folder import new_folder

runs: Path = new_folder("notebook")

# %% [markdown]
# T2 of Horst et al. 2020: one interrupt, one core, caches on, then T1: the same with caches off.

# %%
with connect("twin") as target:
    print(target.label)
    warm = target.measure(load("t2", count=1000), runs / "warm")
    cold = target.measure(load("t1", count=1000), runs / "cold")
print(warm.valid, cold.valid)

# %% [markdown]
# The tail: its plot, and the stimuli in it.

# %%
warm.plot(runs / "tail.svg", "tail")
print(warm.longest(5).select(["index", "latency_ns"]).to_pylist())

# %% [markdown]
# The differences of the quantiles, what is known about each, and what else differs.

# %%
difference = compare(warm, cold)
for name, cells in difference.quantiles.items():
    print(name, cells[1].difference, cells[1].unit, cells[1].verdict)
print(difference.differs)
