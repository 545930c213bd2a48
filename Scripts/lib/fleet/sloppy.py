"""A web server that fails in many ways, is slow for one host, and counts what each host is asked for at a time.

    python3 sloppy.py FOLDER DELAY        prints its port; SIGUSR1 and SIGTERM write FOLDER/sloppy.json, SIGTERM ends it

It listens on 127.0.2.1 to .5 (failures, by the first part of the path) and 127.0.3.1 (files, each after DELAY seconds).
"""

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path

BIG = "127.0.3.1"
FAULTY = [f"127.0.2.{number}" for number in range(1, 6)]
FAULTY_DELAY = 0.005
PLAIN = {"gone": "410 Gone", "forbidden": "403 Forbidden", "busy": "503 Service Unavailable", "missing": "404 Not Found"}
PNG = b"\x89PNG\r\n\x1a\n"


class Sloppy:
    def __init__(self, folder, delay):
        self.root, self.folder, self.delay = folder / "root", folder, delay
        self.active, self.most, self.requests = Counter(), Counter(), Counter()
        self.files = {path.name: path.read_bytes() for path in self.root.glob("*.png")}

    async def connection(self, reader, writer):
        host = writer.get_extra_info("sockname")[0]
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ", 2)[1].decode()
                self.requests[path] += 1
                self.active[host] += 1
                self.most[host] = max(self.most[host], self.active[host])
                try:
                    if not await self.reply(host, path, reader, writer):
                        return
                finally:
                    self.active[host] -= 1
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def reply(self, host, path, reader, writer):
        """Sends a response; False if the connection ends with it."""
        kind, name = path[1:].partition("?")[0].partition("/")[::2]
        await asyncio.sleep(self.delay if host == BIG else FAULTY_DELAY)
        if kind in PLAIN:
            return await self.send(writer, PLAIN[kind], b"no")
        if kind == "loop":
            return await self.send(writer, "302 Found", b"", f"Location: {path}\r\n")
        if kind == "page":
            return await self.send(writer, "200 OK", b"<!DOCTYPE html><p>no", "Content-Type: text/html\r\n")
        if kind == "torn":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10240\r\nContent-Type: image/png\r\n\r\n" + PNG)
            await writer.drain()
            return False
        if kind == "garbage":
            writer.write(b"\x00\x01\x02 what?\r\n\r\n")
            await writer.drain()
            return False
        if kind == "silent":
            # Until the client gives up.
            await reader.read(1)
            return False
        data = self.files.get(name)
        if data is None:
            return await self.send(writer, "404 Not Found", b"no")
        return await self.send(writer, "200 OK", data, "Content-Type: image/png\r\n")

    async def send(self, writer, status, body, fields=""):
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{fields}\r\n".encode() + body)
        await writer.drain()
        return True

    async def run(self):
        first = await asyncio.start_server(self.connection, [BIG], 0, backlog=512)
        port = first.sockets[0].getsockname()[1]
        await asyncio.start_server(self.connection, FAULTY, port, backlog=512)
        print(port, flush=True)
        ended = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, self.save)
        await ended.wait()
        self.save()
        # Connections that are open are not waited for.
        os._exit(0)

    def save(self):
        report = {"most": self.most, "requests": self.requests}
        temporary = self.folder / ".sloppy.json"
        temporary.write_text(json.dumps(report))
        temporary.rename(self.folder / "sloppy.json")


if __name__ == "__main__":
    asyncio.run(Sloppy(Path(sys.argv[1]), float(sys.argv[2])).run())
