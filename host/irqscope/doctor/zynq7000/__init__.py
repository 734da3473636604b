"""What the doctor knows of a Zynq-7000."""
