"""A small FTP server that can ignore REST, forget SIZE and MDTM, and break off."""

import socket
import struct
import threading
import time

from servers.shaped import Pace
from soak.faults import CUTS
from soak.site import CHUNK, SEND_BUFFER, Done


class FtpSite:
    """One port. `rest` is yes, refused or ignored (350, and then the whole file); the episode's world counts and cuts."""

    scheme = "ftp"

    def __init__(self, world, rest="yes", sizes=True, dates=True):
        self.world, self.rest, self.sizes, self.dates = world, rest, sizes, dates
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, resource, host="127.0.0.1"):
        return f"ftp://{host}:{self.port}/{resource.name}"

    def close(self):
        for action in (lambda: self._listener.shutdown(socket.SHUT_RDWR), self._listener.close):
            try:
                action()
            except OSError:
                pass

    def __str__(self):
        return f"ftp, rest {self.rest}{'' if self.sizes else ', no SIZE'}{'' if self.dates else ', no MDTM'}"

    def _accept(self):
        while not self.world.stopping.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                connection.settimeout(60)
                Conversation(self, connection).run()
            except (Done, OSError, ValueError):
                pass


class Conversation:
    """One control connection."""

    def __init__(self, site, control):
        self.site, self.world, self.control = site, site.world, control
        self.offset, self.listener = 0, None

    def run(self):
        self._say("220 soak")
        for line in self.control.makefile("rb"):
            word, _, argument = line.decode("latin1").strip().partition(" ")
            action = getattr(self, f"_{word.lower()}", None)
            if action is None:
                self._say("500 unknown")
            else:
                action(argument)

    def _say(self, text):
        self.control.sendall(f"{text}\r\n".encode())

    def _user(self, _):
        self._say("331 password")

    def _pass(self, _):
        self._say("230 in")

    def _pwd(self, _):
        self._say('257 "/"')

    def _type(self, _):
        self._say("200 type")

    def _cwd(self, _):
        self._say("250 there")

    def _quit(self, _):
        self._say("221 bye")
        raise Done

    def _resource(self, name):
        resource = self.world.resources.get(name.rpartition("/")[2])
        if resource is None or resource.gone:
            self._say("550 no such file")
            return None
        return resource

    def _size(self, name):
        if resource := self._resource(name):
            self._say(f"213 {resource.current.size}" if self.site.sizes else "500 no SIZE")

    def _mdtm(self, name):
        if resource := self._resource(name):
            stamp = time.strftime("%Y%m%d%H%M%S", time.gmtime(resource.current.modified))
            self._say(f"213 {stamp}" if self.site.dates and resource.policy.date else "500 no MDTM")

    def _rest(self, argument):
        if self.site.rest == "refused":
            return self._say("502 no REST")
        self.offset = int(argument)
        self._say("350 go on")

    def _epsv(self, _):
        if self.listener:
            self.listener.close()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(20)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self._say(f"229 passive (|||{self.listener.getsockname()[1]}|)")

    def _retr(self, name):
        world, offset = self.world, self.offset
        self.offset = 0
        world.triggers.count_request()
        resource = self._resource(name)
        if resource is None or self.listener is None:
            return
        fault, version = world.faults.draw(), resource.current
        note = world.note("ftp", f"/{name}", f"REST {offset}" if offset else "")
        kind = fault.kind if fault else None
        if kind and kind not in CUTS:
            note.end = f"fault: {kind}"
            self._say("421 too many connections")
            raise Done
        begin = 0 if self.site.rest == "ignored" else offset
        body = memoryview(version.data)[begin:]
        note.status, note.version, note.offset, note.announced = 150, version.number, begin, len(body)
        data, _ = self.listener.accept()
        with data:
            self._say("150 here it comes")
            self._body(data, body, int(len(body) * fault.at) if kind else len(body), kind, note)
        if kind == "rst":
            raise Done
        self._say("426 broken off" if kind else "226 complete")

    def _body(self, data, body, stop, kind, note):
        pace = Pace(self.world.manner.connection_rate)
        try:
            for at in range(0, stop, CHUNK):
                piece = body[at : min(stop, at + CHUNK)]
                wait = max(self.world.pace.reserve(len(piece)), pace.reserve(len(piece)))
                if wait > 0 and self.world.stopping.wait(wait):
                    raise Done
                data.sendall(piece)
                note.sent += len(piece)
                self.world.triggers.count_bytes(len(piece))
        except OSError as problem:
            note.end = f"client gone ({type(problem).__name__})"
            raise Done from None
        note.end = f"fault: {kind}" if kind else "whole"
        if kind == "freeze":
            self.world.stopping.wait(20)
            raise Done
        if kind == "rst":
            data.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
