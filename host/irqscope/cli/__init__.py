"""The command line. One vocabulary: EXPERIMENT, DIR, --target, --count, --seed, --out, --json."""
