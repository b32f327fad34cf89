"""What was measured, told to people."""
