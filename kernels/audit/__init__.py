"""Figures by reference, the formulas that derive them, and verdicts on printed figures."""
