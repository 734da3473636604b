"""What a run says: in a table, on one HTML page opened without network, on a card."""
