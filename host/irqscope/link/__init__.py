"""Requests and replies over anything that carries bytes."""
