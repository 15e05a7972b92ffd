"""Figures, and the marks they are drawn with."""
