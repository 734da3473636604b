"""Replaces the twin in host tests that need one that starts fast and misbehaves on demand.

It is found in place of the real one by PYTHONPATH, in subprocesses of the tests only.
"""
