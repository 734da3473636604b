"""The doctor's steps on a Zynq-7000."""
