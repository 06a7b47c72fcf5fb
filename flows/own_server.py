"""The child process that is our own Prefect server: ``python -m flows.own_server``.

It prints its API URL once it answers, and ends when its standard input does, which the kernel sees to even when the
parent is killed. ``application`` is Prefect's app with one change: the list of worker types comes from the copy in
Prefect's package, which Prefect would otherwise ask another host for.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

FLUSH_SECONDS = 1.2
"""Task runs are written once a second (prefect.toml); a server that goes at once loses the last ones."""


def application() -> Any:
    """Prefect's server application, kept from calling other hosts."""
    from prefect.server.api import collections
    from prefect.server.api.server import create_app

    views = Path(collections.__file__).parent / "collections_data" / "views"
    packaged = {path.stem: json.loads(path.read_bytes()) for path in views.glob("*.json")}
    absent: dict[str, Any] = {view: {} for view in collections.KNOWN_VIEWS}
    # A plain dict, since Prefect's cache forgets after ten minutes and asks again.
    collections.GLOBAL_COLLECTIONS_VIEW_CACHE = absent | packaged  # type: ignore[assignment]
    return create_app()


def main() -> None:
    """Serve until standard input ends."""
    gone = threading.Event()
    server: Any = None

    def follow_parent() -> None:
        with contextlib.suppress(OSError):
            while os.read(0, 4096):
                pass
        gone.set()
        if server is None:  # nothing is open yet; importing Prefect takes seconds that nobody waits for any more
            os._exit(0)
        time.sleep(FLUSH_SECONDS)
        server.should_exit = True
        time.sleep(10)
        os._exit(0)

    threading.Thread(target=follow_parent, daemon=True).start()
    import uvicorn
    from filelock import FileLock

    from common import places
    from common.files import make_folder

    # Two of us at once would both create the database.
    starting = FileLock(make_folder(places.cache() / "prefect") / "starting.lock")
    starting.acquire()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/api"
    server = uvicorn.Server(uvicorn.Config(application(), log_level="error", lifespan="on", access_log=False))

    def announce() -> None:
        while not server.started:
            if gone.is_set():
                return
            time.sleep(0.02)
        starting.release()
        try:
            print(url, flush=True)
        except OSError:
            return  # the parent has gone; standard input tells the other thread

    threading.Thread(target=announce, daemon=True).start()
    server.run(sockets=[listener])
    sys.stdout.close()
    os._exit(0)


if __name__ == "__main__":
    main()
