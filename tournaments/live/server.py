"""Serves a site: the application, the link to its hub and the readings of results, in one event loop."""

import asyncio
import logging
import socket
from collections.abc import Callable

import uvicorn

from referee.hub.event_loop import allow_many_files
from tournaments.live.app import make_app
from tournaments.live.connections import OpenConnections, bounded_protocol
from tournaments.live.hub_link import HubLink
from tournaments.live.live_site import LiveSite
from tournaments.live.settings import SiteSettings

_MOST_HEAD_BYTES = 16_384


async def serve(
    settings: SiteSettings,
    listener: socket.socket,
    link: socket.socket | None = None,
    ready: Callable[[], None] = lambda: None,
) -> None:
    """Serve until the link is closed or a signal arrives; `ready` is called when the site answers."""
    allow_many_files()
    logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
    site = LiveSite(settings, HubLink(link) if link is not None else None)
    server = uvicorn.Server(
        uvicorn.Config(
            make_app(site),
            http=bounded_protocol(OpenConnections(settings.limits)),
            ws="none",
            loop="asyncio",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            # A proxy on this host says which visitor it is that asks.
            forwarded_allow_ips=["127.0.0.1", "::1"],
            timeout_keep_alive=15,
            timeout_graceful_shutdown=1,
            h11_max_incomplete_event_size=_MOST_HEAD_BYTES,
        )
    )
    async with asyncio.TaskGroup() as tasks:
        work = [tasks.create_task(job) for job in site.jobs()]
        tasks.create_task(_end_with(site, server))
        ready()
        await server.serve(sockets=[listener])
        site.end()
        for task in work:
            task.cancel()


async def _end_with(site: LiveSite, server: uvicorn.Server) -> None:
    """End the server when the site ends."""
    await site.ended.wait()
    server.should_exit = True
