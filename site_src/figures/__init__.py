"""What a figure is and what it is drawn with."""
