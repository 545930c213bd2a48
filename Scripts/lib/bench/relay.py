"""A relay that makes the way to a server on this machine longer: every byte comes later, none comes slower."""

import asyncio
import threading
from contextlib import suppress


class Relay:
    """Forwards a free port of 127.0.0.1 to another one, with a round-trip time in seconds; use it in a `with` statement.

    A connection costs one round trip before its first byte is sent, as over a real line.
    """

    def __init__(self, port, round_trip):
        self._target, self._round_trip = port, round_trip
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        self._server = self._run(asyncio.start_server(self._connect, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_):
        self._run(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _stop(self):
        self._server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for each in others:
            each.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connect(self, reader, writer):
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            return writer.close()
        # Cancelled at the end, it ends as usual: asyncio would print a trace for each connection otherwise.
        with suppress(asyncio.CancelledError):
            await asyncio.gather(self._pump(reader, far_writer, self._round_trip),
                                 self._pump(far_reader, writer, 0), return_exceptions=True)

    async def _pump(self, reader, writer, handshake):
        """Passes on what comes after half a round trip; what comes within the handshake waits for its end, too."""
        opened = self._loop.time() + handshake
        try:
            while data := await reader.read(1 << 16):
                self._loop.call_at(max(self._loop.time(), opened) + self._round_trip / 2, self._write, writer, data)
        except (OSError, asyncio.CancelledError):
            pass
        self._loop.call_later(self._round_trip / 2, writer.close)

    @staticmethod
    def _write(writer, data):
        if not writer.transport.is_closing():
            writer.write(data)
