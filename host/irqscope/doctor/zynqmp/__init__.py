"""The doctor's steps on a Zynq UltraScale+, with its registers, wires and scripts."""
