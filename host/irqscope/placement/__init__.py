"""An interrupt at every cycle of a stretch of code: which instruction it met, and when it was
answered."""
