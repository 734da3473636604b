"""What the doctor looks at on an ECP5: core, memory and instrument are one bitstream."""
