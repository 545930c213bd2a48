import HaulCore

extension Aria2Option {
    /// All options, in the order in which they are reported.
    package static let table: [Aria2Option] = transfer + access + checking + torrent + program + remote

    /// Returns the option with a name; nil if there is none.
    package static func named(_ name: String) -> Aria2Option? { byName[name] }

    /// Returns the option with a letter; nil if there is none.
    package static func lettered(_ letter: Character) -> Aria2Option? { byLetter[letter] }

    /// Returns the options whose names have a prefix: getopt_long(3) accepts an unambiguous prefix.
    package static func beginning(_ start: String) -> [Aria2Option] { table.filter { $0.name.hasPrefix(start) } }

    private static let byName = Dictionary(uniqueKeysWithValues: table.map { ($0.name, $0) })
    private static let byLetter = Dictionary(
        uniqueKeysWithValues: table.compactMap { option in option.letter.map { ($0, option) } })

    static let any: ClosedRange<Int64> = 0...Int64.max
    static let seconds: ClosedRange<Int64> = 0...(1 << 40)
    static let rate: ClosedRange<Int64> = 0...DownloadSpec.Transfer.maxRate
}

extension Aria2Option {
    /// Options for source, destination and speed.
    private static let transfer: [Aria2Option] = [
        .init("dir", .path, nil, [.all, .heeded], letter: "d"),
        .init("out", .path, nil, [.one, .heeded], letter: "o"),
        .init("split", .number(1...any.upperBound), "5", [.all, .heeded], letter: "s"),
        .init("max-connection-per-server", .number(1...64), "1", [.all, .heeded], letter: "x"),
        .init("min-split-size", .size((1 << 20)...(1 << 30)), "20971520", [.all, .heeded], letter: "k"),
        .init("max-download-limit", .size(rate), "0", [.all, .heeded]),
        .init("continue", .flag, "false", [.all, .heeded], letter: "c"),
        .init("allow-overwrite", .flag, "false", [.all, .heeded]),
        .init("auto-file-renaming", .flag, "true", [.all, .heeded]),
        .init("allow-piece-length-change", .flag, "false", .all),
        .init("always-resume", .flag, "false", [.all, .heeded]),
        .init("max-resume-failure-tries", .number(any), "0", .all),
        .init("max-tries", .number(any), "5", [.all, .heeded], letter: "m"),
        .init("retry-wait", .number(0...600), "0", [.all, .heeded]),
        .init("timeout", .number(1...600), "60", [.all, .heeded], letter: "t"),
        .init("connect-timeout", .number(1...600), "60", [.all, .heeded]),
        .init("lowest-speed-limit", .size(rate), "0", [.all, .heeded]),
        .init("max-file-not-found", .number(any), "0", [.all, .heeded]),
        .init("piece-length", .size((1 << 20)...(1 << 30)), "1048576", [.download, .global]),
        .init("parameterized-uri", .flag, "false", [.download, .global, .heeded], letter: "P"),
        .init("pause", .flag, "false", [.download, .heeded]),
        .init("gid", .gid, nil, [.download, .heeded]),
        .init(
            "file-allocation", .choice(["none", "prealloc", "trunc", "falloc"]), "prealloc", [.all, .heeded],
            letter: "a"),
        .init("no-file-allocation-limit", .size(any), "5242880", [.all, .heeded]),
        .init("remote-time", .flag, "false", [.all, .heeded], letter: "R"),
        .init("remove-control-file", .flag, "false", [.all, .heeded]),
        .init("conditional-get", .flag, "false", [.all, .heeded]),
        .init("dry-run", .flag, "false", [.download, .global], refused: "there is no dry run"),
        .init("reuse-uri", .flag, "true", .all),
        .init("uri-selector", .choice(["inorder", "feedback", "adaptive"]), "feedback", [.all, .heeded]),
        .init("stream-piece-selector", .choice(["default", "inorder", "random", "geom"]), "default", .all),
        .init("force-save", .flag, "false", [.all, .heeded]),
        .init("save-not-found", .flag, "true", [.all, .heeded]),
        .init("enable-mmap", .flag, "false", .all),
        .init("max-mmap-limit", .size(any), "9223372036854775807", .all),
        .init("async-dns", .flag, "true", .all),
    ]

    /// Options for authentication, headers and proxies.
    private static let access: [Aria2Option] = [
        .init("header", .list, nil, [.all, .heeded, .secret]),
        .init("referer", .text, nil, [.all, .heeded]),
        .init("user-agent", .text, "haul/\(Version.current)", [.all, .heeded], letter: "U"),
        .init("http-user", .text, nil, [.all, .heeded]),
        .init("http-passwd", .text, nil, [.all, .heeded, .secret]),
        .init("ftp-user", .text, nil, [.all, .heeded]),
        .init("ftp-passwd", .text, nil, [.all, .heeded, .secret]),
        .init("http-auth-challenge", .flag, "false", [.all, .heeded]),
        .init("http-accept-gzip", .flag, "false", [.all, .heeded]),
        .init("http-no-cache", .flag, "false", [.all, .heeded]),
        .init("use-head", .flag, "false", .all),
        .init("content-disposition-default-utf8", .flag, "false", .all),
        .init("no-want-digest-header", .flag, "false", .all),
        .init("enable-http-keep-alive", .flag, "true", .all),
        .init("enable-http-pipelining", .flag, "false", .all),
        .init("no-netrc", .flag, "false", [.all, .heeded], letter: "n"),
        .init("all-proxy", .proxy, nil, [.all, .heeded]),
        .init("all-proxy-user", .text, nil, [.all, .heeded]),
        .init("all-proxy-passwd", .text, nil, [.all, .heeded, .secret]),
        .init("http-proxy", .proxy, nil, [.all, .heeded]),
        .init("http-proxy-user", .text, nil, [.all, .heeded]),
        .init("http-proxy-passwd", .text, nil, [.all, .heeded, .secret]),
        .init("https-proxy", .proxy, nil, [.all, .heeded]),
        .init("https-proxy-user", .text, nil, [.all, .heeded]),
        .init("https-proxy-passwd", .text, nil, [.all, .heeded, .secret]),
        .init("ftp-proxy", .proxy, nil, [.all, .heeded]),
        .init("ftp-proxy-user", .text, nil, [.all, .heeded]),
        .init("ftp-proxy-passwd", .text, nil, [.all, .heeded, .secret]),
        .init("no-proxy", .text, nil, [.all, .heeded]),
        .init(
            "proxy-method", .choice(["get", "tunnel"]), "get", .all,
            refused: "GET is used for http, CONNECT for https"),
        .init("ftp-pasv", .flag, "true", .all, letter: "p", refused: "active mode is not supported"),
        .init("ftp-type", .choice(["binary", "ascii"]), "binary", .all, refused: "Haul transfers bytes as they are"),
        .init("ftp-reuse-connection", .flag, "true", .all),
        .init("ssh-host-key-md", .text, nil, .all, refused: "Haul compares host keys with ~/.ssh/known_hosts"),
    ]

    /// Options for verification and Metalink.
    private static let checking: [Aria2Option] = [
        .init("checksum", .checksum, nil, [.one, .heeded]),
        .init("check-integrity", .flag, "false", [.all, .heeded], letter: "V"),
        .init("hash-check-only", .flag, "false", .all, refused: "use haul verify"),
        .init("realtime-chunk-checksum", .flag, "true", .all),
        .init(
            "follow-metalink", .choice(["true", "false", "mem"]), "true", [.all, .heeded]),
        .init(
            "metalink-base-uri", .text, nil, [.download, .global], refused: "the sources of a Metalink must be complete"
        ),
        .init("metalink-enable-unique-protocol", .flag, "true", .all),
        .init("metalink-language", .text, nil, [.all, .heeded]),
        .init("metalink-location", .text, nil, [.all, .heeded]),
        .init("metalink-os", .text, nil, [.all, .heeded]),
        .init("metalink-version", .text, nil, [.all, .heeded]),
        .init("metalink-preferred-protocol", .choice(["http", "https", "ftp", "none"]), "none", [.all, .heeded]),
        .init("select-file", .indices, nil, [.one, .heeded]),
        .init("index-out", .list, nil, .one, refused: "the names of the Metalink are used"),
    ]

    /// Options of BitTorrent only: configurations and clients set them for all downloads, and they have no effect for
    /// HTTP and FTP in aria2 either.
    private static let torrent: [Aria2Option] = [
        .init("bt-enable-hook-after-hash-check", .flag, "true", .all),
        .init("bt-enable-lpd", .flag, "false", .all),
        .init("bt-exclude-tracker", .text, nil, .all),
        .init("bt-external-ip", .text, nil, .all),
        .init("bt-force-encryption", .flag, "false", .all),
        .init("bt-hash-check-seed", .flag, "true", .all),
        .init("bt-load-saved-metadata", .flag, "false", .all),
        .init("bt-max-peers", .number(any), "55", .all),
        .init("bt-metadata-only", .flag, "false", .all),
        .init("bt-min-crypto-level", .choice(["plain", "arc4"]), "plain", .all),
        .init("bt-prioritize-piece", .text, nil, .all),
        .init("bt-remove-unselected-file", .flag, "false", .all),
        .init("bt-request-peer-speed-limit", .size(any), "51200", .all),
        .init("bt-require-crypto", .flag, "false", .all),
        .init("bt-save-metadata", .flag, "false", .all),
        .init("bt-seed-unverified", .flag, "false", .all),
        .init("bt-stop-timeout", .number(any), "0", .all),
        .init("bt-tracker", .text, nil, .all),
        .init("bt-tracker-connect-timeout", .number(1...600), "60", .all),
        .init("bt-tracker-interval", .number(any), "0", .all),
        .init("bt-tracker-timeout", .number(1...600), "60", .all),
        .init("enable-peer-exchange", .flag, "true", .all),
        .init("follow-torrent", .choice(["true", "false", "mem"]), "true", .all),
        .init("max-upload-limit", .size(any), "0", .all, letter: "u"),
        .init("pause-metadata", .flag, "false", .all),
        .init("rpc-save-upload-metadata", .flag, "true", [.download, .global]),
        .init("seed-ratio", .fraction, "1.0", .all),
        .init("seed-time", .fraction, nil, .all),
        .init("bt-detach-seed-only", .flag, "false", .start),
        .init("bt-lpd-interface", .text, nil, .start),
        .init("bt-max-open-files", .number(1...any.upperBound), "100", .global),
        .init("dht-entry-point", .text, nil, .start),
        .init("dht-entry-point6", .text, nil, .start),
        .init("dht-file-path", .path, nil, .start),
        .init("dht-file-path6", .path, nil, .start),
        .init("dht-listen-addr6", .text, nil, .start),
        .init("dht-listen-port", .text, "6881-6999", .start),
        .init("dht-message-timeout", .number(1...60), "10", .start),
        .init("enable-dht", .flag, "true", .start),
        .init("enable-dht6", .flag, "false", .start),
        .init("listen-port", .text, "6881-6999", .start),
        .init("max-overall-upload-limit", .size(any), "0", .global),
        .init("peer-agent", .text, nil, .start),
        .init("peer-id-prefix", .text, nil, .start),
        .init("on-bt-download-complete", .path, nil, .start),
        .init("torrent-file", .path, nil, .start, letter: "T", refused: "BitTorrent is not supported"),
    ]

    /// Options of the program as a whole.
    private static let program: [Aria2Option] = [
        .init("max-concurrent-downloads", .number(1...any.upperBound), "5", [.global, .heeded], letter: "j"),
        .init("max-overall-download-limit", .size(rate), "0", [.global, .heeded]),
        .init("optimize-concurrent-downloads", .text, "false", .global),
        .init("download-result", .choice(["default", "full", "hide"]), "default", [.global, .heeded]),
        .init("keep-unfinished-download-result", .flag, "true", .global),
        .init("max-download-result", .number(any), "1000", .global),
        .init("log", .path, nil, [.heeded], letter: "l"),
        .init("log-level", .choice(logLevels), "debug", [.global, .heeded]),
        .init("save-cookies", .path, nil, .global, refused: "cookies are not written to files"),
        .init("save-session", .path, nil, [.global, .heeded]),
        .init("save-session-interval", .number(seconds), "0", [.heeded]),
        .init("server-stat-of", .path, nil, .global),
        .init("server-stat-if", .path, nil, .start),
        .init("server-stat-timeout", .number(seconds), "86400", .start),
        .init("input-file", .path, nil, [.heeded], letter: "i"),
        .init("metalink-file", .path, nil, [.heeded], letter: "M"),
        .init("deferred-input", .flag, "false", .start),
        .init("load-cookies", .path, nil, [.heeded]),
        .init("netrc-path", .path, nil, [.heeded]),
        .init("ca-certificate", .path, nil, [.heeded]),
        .init("certificate", .path, nil, [.heeded]),
        .init("private-key", .path, nil, [.heeded]),
        .init("check-certificate", .flag, "true", [.heeded]),
        .init(
            "min-tls-version", .choice(["SSLv3", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"]), "TLSv1.2", .start,
            refused: "Haul accepts TLS 1.2 and later", except: ["SSLv3", "TLSv1", "TLSv1.1"]),
        .init("interface", .text, nil, [.heeded]),
        .init("multiple-interface", .text, nil, .start, refused: "one interface can be chosen with --interface"),
        .init("disable-ipv6", .flag, "false", [.heeded]),
        .init("async-dns-server", .text, nil, .start, refused: "names are resolved by the system"),
        .init("enable-async-dns6", .flag, "true", .start),
        .init("auto-save-interval", .number(0...600), "60", .start),
        .init("conf-path", .path, nil, [.heeded]),
        .init("no-conf", .flag, "false", [.heeded]),
        .init("console-log-level", .choice(logLevels), "notice", [.heeded]),
        .init("quiet", .flag, "false", [.heeded], letter: "q"),
        .init("daemon", .flag, "false", .start, letter: "D", refused: "use haul daemon start, or a service manager"),
        .init("disk-cache", .size(any), "16777216", .start),
        .init("dscp", .number(0...63), "0", .start),
        .init("rlimit-nofile", .number(1...any.upperBound), "1024", [.heeded]),
        .init("enable-color", .flag, "true", .start),
        .init("event-poll", .choice(["epoll", "kqueue", "port", "poll", "select", "uring"]), "epoll", .start),
        .init("force-sequential", .flag, "false", [.heeded], letter: "Z"),
        .init("human-readable", .flag, "true", [.heeded]),
        .init("on-download-complete", .path, nil, [.heeded]),
        .init("on-download-error", .path, nil, [.heeded]),
        .init("on-download-pause", .path, nil, .start, refused: "there are hooks for start, complete, error and stop"),
        .init("on-download-start", .path, nil, [.heeded]),
        .init("on-download-stop", .path, nil, [.heeded]),
        .init("show-console-readout", .flag, "true", [.heeded]),
        .init("show-files", .flag, "false", .start, letter: "S", refused: "files cannot be listed without downloading"),
        .init("socket-recv-buffer-size", .size(any), "0", .start),
        .init("stderr", .flag, "false", [.heeded]),
        .init("stop", .number(seconds), "0", [.heeded]),
        .init("stop-with-process", .number(1...Int64(Int32.max)), nil, [.heeded]),
        .init("summary-interval", .number(seconds), "60", [.heeded]),
        .init("truncate-console-readout", .flag, "true", [.heeded]),
        .init("help", .text, nil, [.heeded], letter: "h"),
        .init("version", .flag, nil, [.heeded], letter: "v"),
    ]

    /// Options of the RPC interface.
    private static let remote: [Aria2Option] = [
        .init("enable-rpc", .flag, "false", [.heeded]),
        .init("rpc-allow-origin-all", .flag, "false", [.heeded]),
        .init("rpc-certificate", .path, nil, .start),
        .init("rpc-listen-all", .flag, "false", [.heeded]),
        .init("rpc-listen-port", .number(1024...65535), "6800", [.heeded]),
        .init("rpc-max-request-size", .size(any), "2097152", [.heeded]),
        .init("rpc-passwd", .text, nil, .secret, refused: "use --rpc-secret"),
        .init("rpc-private-key", .path, nil, .start),
        .init("rpc-secret", .text, nil, [.heeded, .secret]),
        .init("rpc-secure", .flag, "false", .start, refused: "use a reverse proxy with TLS"),
        .init("rpc-user", .text, nil, .start, refused: "use --rpc-secret"),
    ]

    private static let logLevels = ["debug", "info", "notice", "warn", "error"]
}
