"""Files made from all pages together."""
