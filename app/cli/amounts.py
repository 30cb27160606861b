"""Numbers that commands are given."""

import math
from typing import Any

import click


class Amount(click.FloatRange):
    """A number in a range, and really one: nan lies in each, and inf in each without an upper end."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; fails with what it must be."""
        told = super().convert(value, param, ctx)
        if not math.isfinite(told):
            self.fail(f"{value} is not a number in the range {self._describe_range()}.", param, ctx)
        return told
