"""What is made of all pages together."""
