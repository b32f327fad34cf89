"""The commands of `w2v`, one module each."""
