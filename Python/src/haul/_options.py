"""The options of the program, as types.

Written by tools/options.py from `haul --experimental-dump-help`; do not edit.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TypedDict

Value = str | int | float | os.PathLike[str]
Values = Value | Sequence[Value]


class GetOptions(TypedDict, total=False):
    """The options of `haul get`."""

    globoff: bool
    """Do not expand braces and brackets in URLs."""
    output: Value
    """Save as this file; with haul get, - is standard output, and a named pipe is written to. One URL only."""
    directory: Value
    """Save in this folder."""
    mirror: Values
    """Another source of the same file. One URL only; may be repeated."""
    no_linked_mirrors: bool
    """Ignore mirrors in the server's Link headers."""
    checksum: Value
    """Checksum that the file must have. One file only."""
    on_conflict: Value
    """If the file exists: fail, replace it, rename the new one, skip the download, or keep it if it is the same (otherwise replace it) (default: fail)."""
    find_checksum: bool
    """Look for a checksum on the server: URL.sha256, SHA256SUMS and the like."""
    no_header_checksum: bool
    """Ignore the checksum in the server's response headers."""
    verify_existing: bool
    """If the file exists, verify it, and keep it if it is correct."""
    partial_folder: Value
    """Keep partial files in this folder during the download."""
    continue_: bool
    """Resume unfinished files of curl, wget, aria2, axel and browsers, after comparing them with the server's."""
    no_resume: bool
    """Do not resume, and do not keep a partial file."""
    metalink: Values
    """Download all files of this Metalink, a file or a URL; may be repeated."""
    jobs: Value
    """Number of downloads at a time (default: 3)."""
    limit_rate: Value
    """Maximum speed of all downloads together, in bytes per second: 500K, 2M, or "22:00-06:00 unlimited, else 2M"."""
    stream_window: Value
    """With --output -, download at most this far ahead of the reader: 1M to 4G."""
    wait_for_network: bool
    """Wait for the network instead of failing without it."""
    connections: Value
    """Connections per download: 1 to 64, or auto (default: auto)."""
    range: Value
    """Download only this range of bytes, both ends included: 0-999, or 1000- to the end."""
    retries: Value
    """Give up after this many retries in a row without progress (default: 5); haul get gives up after one if the host has no address or refuses, unless --retry-connrefused is given."""
    retry_connrefused: bool
    """Retry as often if the host has no address or refuses the connection."""
    connect_timeout: Value
    """Maximum time to connect (default: 15)."""
    idle_timeout: Value
    """Maximum time without receiving data (default: 30)."""
    max_wait: Value
    """Maximum wait that a server may ask for (Retry-After), or unlimited (default: 60; in the daemon: unlimited)."""
    max_time: Value
    """Maximum time for one run of a download, including waits."""
    min_speed: Value
    """Abort and retry if the average speed over this time is lower, such as 10K:30."""
    compressed: bool
    """Request compression (gzip, deflate) and decode the file. Uses one connection; cannot be resumed."""
    raw: bool
    """Save a compressed response as it is sent, without decoding it."""
    fail_on_html: bool
    """Fail if a web page is sent instead of a file such as a.zip; the default is to warn."""
    password_file: Value
    """Read the password from the first line of this file; - is standard input. The default is to ask on the terminal."""
    bearer_file: Value
    """Read a bearer token from this file; - is standard input."""
    header: Values | Mapping[str, Value]
    """Header to send, 'Name: value'; may be repeated."""
    data: Values
    """Send this in the body of a POST request, or @FILE for a file as it is; several are joined with &."""
    method: Value
    """Request method, such as POST or PUT (default: POST with --data, otherwise GET)."""
    repeat_request: bool
    """Repeat a POST request after a failure, even if the server may have carried it out."""
    user_agent: Value
    """User-Agent to send."""
    referer: Value
    """Referer to send, only to the URL's own origin."""
    user: Value
    """User name, sent only to the URL's own origin."""
    auth: Value
    """Authentication scheme: any (the best that the server offers), basic, digest, ntlm or negotiate (default: any)."""
    netrc_file: Value
    """Look up credentials in this netrc file."""
    load_cookies: Value
    """Send the cookies in this file (Netscape format)."""
    client_certificate: Value
    """Client certificate (PEM)."""
    client_key: Value
    """Private key of the client certificate (PEM), if it is in another file."""
    insecure: bool
    """Accept any server certificate."""
    allow_downgrade: bool
    """Follow redirects from https to http."""
    netrc: bool
    """Look up credentials in ~/.netrc, or in the file named by NETRC."""
    ca_certificate: Value
    """Trust the certificates in this file (PEM) instead of the system's."""
    proxy: Value
    """Use this proxy; overrides the environment. Empty disables proxies."""
    no_proxy: Values
    """Hosts to contact without a proxy, such as localhost,10.0.0.0/8; overrides the environment."""
    proxy_user_file: Value
    """Read NAME:PASSWORD for the proxy from this file; - is standard input."""
    interface: Value
    """Connect from this network interface or local address."""
    ipv4: bool
    """Use IPv4 only."""
    ipv6: bool
    """Use IPv6 only."""
    config: Value
    """Read options from this file (default: ~/.config/haul/config.toml)."""
    no_config: bool
    """Read no configuration file."""


class RowOptions(TypedDict, total=False):
    """The options of `haul batch` for rows and parts."""

    format: Value
    """Save in tar files or in folders: tar or files (default: tar)."""
    rows_per_part: Value
    """Number of rows in a part (default: 10000)."""
    jobs: Value
    """Number of downloads at a time (default: 64)."""
    retries: Value
    """Give up a row after this many retries in a row without progress (default: 2)."""
    row_deadline: Value
    """Maximum time for a row, with all attempts, or unlimited (default: 60)."""
    limit_rate: Value
    """Maximum speed of all downloads together, in bytes per second: 500K, 2M, or "22:00-06:00 unlimited, else 2M"."""
    retry_failed: bool | Values
    """Fetch failed rows again, too: all, or those with these error codes, such as timedOut,mediaType; refused for all refused rows."""
    connect_timeout: Value
    """Maximum time to connect (default: 15)."""
    idle_timeout: Value
    """Maximum time without receiving data (default: 30)."""
    max_wait: Value
    """Maximum wait that a server may ask for (Retry-After), or unlimited (default: 60; in the daemon: unlimited)."""
    min_speed: Value
    """Abort and retry if the average speed over this time is lower, such as 10K:30."""
    compressed: bool
    """Request compression (gzip, deflate) and decode the file. Uses one connection; cannot be resumed."""
    max_size: Value
    """Refuse larger files, such as 20M."""
    accept: Values
    """Refuse other media types, by header and by content, such as image/*."""
    disallow: Values
    """Refuse files whose X-Robots-Tag header has one of these, such as noai,noimageai,noindex."""
    robots_txt: bool
    """Read robots.txt of each host, and refuse what it disallows."""
    header: Values | Mapping[str, Value]
    """Header to send, 'Name: value'; may be repeated."""
    data: Values
    """Send this in the body of a POST request, or @FILE for a file as it is; several are joined with &."""
    method: Value
    """Request method, such as POST or PUT (default: POST with --data, otherwise GET)."""
    repeat_request: bool
    """Repeat a POST request after a failure, even if the server may have carried it out."""
    user_agent: Value
    """User-Agent to send."""
    referer: Value
    """Referer to send, only to the URL's own origin."""
    user: Value
    """User name, sent only to the URL's own origin."""
    auth: Value
    """Authentication scheme: any (the best that the server offers), basic, digest, ntlm or negotiate (default: any)."""
    netrc_file: Value
    """Look up credentials in this netrc file."""
    load_cookies: Value
    """Send the cookies in this file (Netscape format)."""
    client_certificate: Value
    """Client certificate (PEM)."""
    client_key: Value
    """Private key of the client certificate (PEM), if it is in another file."""
    insecure: bool
    """Accept any server certificate."""
    allow_downgrade: bool
    """Follow redirects from https to http."""
    password_file: Value
    """Read the password from the first line of this file; - is standard input. The default is to ask on the terminal."""
    bearer_file: Value
    """Read a bearer token from this file; - is standard input."""
    netrc: bool
    """Look up credentials in ~/.netrc, or in the file named by NETRC."""
    ca_certificate: Value
    """Trust the certificates in this file (PEM) instead of the system's."""
    proxy: Value
    """Use this proxy; overrides the environment. Empty disables proxies."""
    no_proxy: Values
    """Hosts to contact without a proxy, such as localhost,10.0.0.0/8; overrides the environment."""
    proxy_user_file: Value
    """Read NAME:PASSWORD for the proxy from this file; - is standard input."""
    interface: Value
    """Connect from this network interface or local address."""
    ipv4: bool
    """Use IPv4 only."""
    ipv6: bool
    """Use IPv6 only."""


class BatchOptions(RowOptions, total=False):
    """All options of `haul batch`."""

    manifest_format: Value
    """Format of the manifest: jsonl, csv, tsv or list (default: by its name, or its first byte)."""
    url_column: Value
    """Column with the URL (default: url)."""
    id_column: Value
    """Column with an id that is unique (default: id if there is one, otherwise the row's number)."""
    name_column: Value
    """Column with the name of the saved file (default: the id)."""
    shard: Value
    """Fetch shard i of n, counted from 0; auto or auto/n reads it from Slurm, Kubernetes, AWS Batch or GNU parallel."""
    shard_by: Value
    """Division into shards: host (each host in one shard) or row (every nth row) (default: host)."""
    shard_name: Value
    """Number of the shard in the names of parts, for rows that the caller has divided: all of them are fetched."""
    per_host: Value
    """Number of downloads at a time from one host, over all shards (default: 4)."""
    prometheus: Value
    """Keep statistics for Prometheus in this file."""


REPEATED = frozenset(
    {
        "data",
        "header",
        "metalink",
        "mirror",
    }
)
