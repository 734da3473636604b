"""What the doctor looks at on a Zynq UltraScale+: its steps know registers, wires and scripts."""
