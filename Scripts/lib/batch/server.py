"""nginx with small files, with failures of several kinds, and with a log of its requests."""

import os

from servers.configurations import NGINX_BEGIN
from servers.programs import Nginx

CONFIGURATION = NGINX_BEGIN + """
    log_format short "$request_uri $status";
    server {{
        listen 127.0.0.1:{http};
        listen 127.0.0.1:{https} ssl;
        ssl_certificate {chain};
        ssl_certificate_key {key};
        root {root};
        access_log {folder}/access.log short;
        location /moved/ {{ rewrite ^/moved/(.*)$ /$1 redirect; }}
        location /busy/ {{ return 503; }}
        location /page/ {{ default_type text/html; return 200 "<!DOCTYPE html><p>no"; }}
        location /tagged/ {{ add_header X-Robots-Tag noai; rewrite ^/tagged/(.*)$ /$1 break; }}
    }}
}}
"""


class BatchServer(Nginx):
    """Serves the files of a folder as they are, and under /moved/, /busy/, /page/ and /tagged/ with something else."""

    def configure(self, ports):
        command = super().configure(ports)
        (self.folder / "nginx.conf").write_text(CONFIGURATION.format(
            user="user root root;" if os.geteuid() == 0 else "", root=self.root, folder=self.folder, http=ports["http"], https=ports["https"],
            chain=self.certificate.chain, key=self.certificate.key))
        return command

    def requested(self):
        """The paths of all requests since the last call."""
        log = self.folder / "access.log"
        text = log.read_text() if log.exists() else ""
        done = getattr(self, "_read", 0)
        self._read = text.rfind("\n") + 1
        return [line.split(" ")[0] for line in text[done:self._read].splitlines()]
