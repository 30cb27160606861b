"""The bare framework, to stand beside a figure: `python -m app.proof.bare PORT FILE` answers FILE's bytes.

One handler, no middleware, no database: what the framework and its server cost by themselves.
"""

import sys
from pathlib import Path

import uvicorn
from litestar import Litestar, Response, get


def main(port: int, body: bytes) -> None:
    """Serve the bytes at every address, as `godwit web` is served."""

    @get("/{address:path}")
    async def answer(address: str) -> Response[bytes]:
        return Response(body, media_type="text/html; charset=utf-8")

    application = Litestar([answer], openapi_config=None, debug=False, logging_config=None)
    uvicorn.run(
        application,
        port=port,
        loop="uvloop",
        http="httptools",
        ws="none",
        access_log=False,
        log_level="error",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]).read_bytes())
