"""Reports of a run: a table, an HTML page opened without network, a card."""
