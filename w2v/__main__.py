"""`python -m w2v` is `w2v`."""

from w2v.cli import main

main()
