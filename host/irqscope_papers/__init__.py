"""Papers used as benchmarks: their printed values, claims and figures, and the benchmark card."""
