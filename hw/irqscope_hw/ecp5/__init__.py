"""A whole system for boards with an ECP5: soft core, memory, UART, timer and the instrument."""
