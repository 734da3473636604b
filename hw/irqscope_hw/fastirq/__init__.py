"""The additions of CV32RT's fastirq to a core, for soft cores."""
