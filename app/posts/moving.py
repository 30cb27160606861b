"""Moving pictures without what they carry beside the pictures: comments, camera, place, programs.

They are not drawn anew, which would change their timing and colours: what may stay is copied block by block.
"""

_GIF_LOOPS = (b"NETSCAPE2.0", b"ANIMEXTS1.0")
_GIF_TIMING, _GIF_PROGRAM, _GIF_FRAME, _GIF_MORE = 0xF9, 0xFF, 0x2C, 0x21
_WEBP_KEPT = (b"ICCP", b"ANIM", b"ANMF", b"ALPH", b"VP8 ", b"VP8L")
_WEBP_CARRIES = 0x08 | 0x04
"""Flags in a WebP's head: it has EXIF, it has XMP."""


def bare_gif(data: bytes) -> bytes:
    """A GIF (89a specification, appendix A) with frames, timing and loop alone.

    Raises IndexError where it was cut off within a block.
    """
    at = 13 + _gif_colours(data[10])
    kept = [data[:at]]
    while at < len(data) and data[at] != ord(";"):
        sign, end = data[at], at + 1
        if sign == _GIF_FRAME:
            end = _past_blocks(data, at + 11 + _gif_colours(data[at + 9]))
        elif sign == _GIF_MORE:
            end = _past_blocks(data, at + 2)
        if sign == _GIF_FRAME or (sign == _GIF_MORE and _gif_moves(data, at)):
            kept.append(data[at:end])
        at = end
    return b"".join([*kept, b";"])


def bare_webp(data: bytes) -> bytes:
    """A WebP (RFC 9649, section 2.7) with its frames and colours alone."""
    kept: list[bytes] = []
    at = 12
    while at + 8 <= len(data):
        name, size = data[at : at + 4], int.from_bytes(data[at + 4 : at + 8], "little")
        end = at + 8 + size + size % 2
        if name == b"VP8X":
            kept += [data[at : at + 8], bytes([data[at + 8] & ~_WEBP_CARRIES]), data[at + 9 : end]]
        elif name in _WEBP_KEPT:
            kept.append(data[at:end])
        at = end
    body = b"".join(kept)
    return b"RIFF" + (len(body) + 4).to_bytes(4, "little") + b"WEBP" + body


def _gif_colours(flags: int) -> int:
    """Octets of the table of colours that follows."""
    return 3 * 2 ** (1 + flags % 8) if flags & 0x80 else 0


def _gif_moves(data: bytes, at: int) -> bool:
    kind = data[at + 1]
    return kind == _GIF_TIMING or (kind == _GIF_PROGRAM and data[at + 3 : at + 14] in _GIF_LOOPS)


def _past_blocks(data: bytes, at: int) -> int:
    while data[at]:
        at += data[at] + 1
    return at + 1
