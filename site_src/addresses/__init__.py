"""Addresses that never change: of published, renamed and retired things."""
