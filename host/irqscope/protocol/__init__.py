"""The link's bytes and messages. No input or output happens here."""
