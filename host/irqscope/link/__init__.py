"""The link: bytes, frames and messages without input or output, and requests over what carries
bytes.
"""
