"""The doctor's steps on an ECP5: core, memory and instrument are one bitstream."""
