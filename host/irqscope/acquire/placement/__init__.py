"""An interrupt at every cycle of code under test: which instruction it met, and when it was
answered."""
