"""Stands in for the twin where host tests need one that starts fast and misbehaves on demand."""
