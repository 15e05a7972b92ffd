"""The marks that figures are drawn with."""
