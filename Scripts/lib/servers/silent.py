"""A relay that goes silent: its connections stay open, and after a number of bytes nothing more of the server arrives."""

import socket
import threading
from contextlib import suppress


class SilentRelay:
    """Forwards a free port of 127.0.0.1 to another one; use it in a `with` statement."""

    def __init__(self, port, silent_after):
        self._target, self._silent_after = port, silent_after
        self._open = []

    def __enter__(self):
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        for each in [self._listener, *self._open]:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _accept(self):
        with suppress(OSError):
            while True:
                near = self._listener.accept()[0]
                far = socket.create_connection(("127.0.0.1", self._target))
                self._open += [near, far]
                threading.Thread(target=self._pump, args=(near, far, None), daemon=True).start()
                threading.Thread(target=self._pump, args=(far, near, self._silent_after), daemon=True).start()

    @staticmethod
    def _pump(source, target, limit):
        passed = 0
        with suppress(OSError):
            while data := source.recv(2048):
                passed += len(data)
                if limit is None or passed <= limit:
                    target.sendall(data)
