"""Six digits as people type them, and what a page says when they are wrong; for creators and readers."""


def digits_of(text: str) -> str:
    """The code as it was sent: people paste it with spaces, or a hyphen in the middle."""
    return "".join(letter for letter in text if not letter.isspace() and letter not in "-–")


def why_wrong(left: int) -> str:
    """What to do, with `left` tries left."""
    if left == 0:
        return (
            "This code does not work, or no longer: a code works once, for ten minutes and five tries."
            " Ask for a new one."
        )
    tries = "One try is" if left == 1 else f"{['No', 'One', 'Two', 'Three', 'Four'][left]} tries are"
    return f"That is not the code we sent. {tries} left."
