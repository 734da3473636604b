"""What CV32RT's fastirq puts into a core, for soft cores."""
