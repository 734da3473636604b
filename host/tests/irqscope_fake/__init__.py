"""A firmware in Python, for tests of the host alone."""
