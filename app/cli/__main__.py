"""`python -m app.cli`: the same as the console script, for children of `up`."""

from app.cli.program import main

main()
