"""The link: bytes, frames and messages without I/O, and requests over a transport."""
