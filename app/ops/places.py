"""What this slice mounts where; who may enter is decided in web/routes.py."""

from typing import Any

from app.ops import job_console, metrics, overview_console, switch_api, switch_console, switch_studio

STUDIO: tuple[Any, ...] = switch_studio.HANDLERS
API: tuple[Any, ...] = switch_api.HANDLERS
METRICS: tuple[Any, ...] = metrics.HANDLERS
CONSOLE: tuple[Any, ...] = (*overview_console.HANDLERS, *job_console.HANDLERS, *switch_console.HANDLERS)
