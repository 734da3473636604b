"""irqscope: measures how fast software answers an interrupt."""
