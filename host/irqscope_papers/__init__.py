"""The papers that irqscope is measured against: what they print, claim and draw, and the card."""
