/// What to write instead of further options of curl, wget and aria2: the options with the same advice, and the advice.
enum HabitTable {
    /// The advice for each option.
    static let advice = Dictionary(
        groups.flatMap { group in group.options.split(separator: " ").map { (String($0), group.advice) } },
        uniquingKeysWith: { first, _ in first })

    /// The options that stand for forms, uploads and HEAD.
    static let onlyDownloads = "Haul only downloads; use curl for forms, uploads and HEAD"
    /// The options that make wget follow the links of a page.
    static let notRecursive = "Haul does not download recursively; use wget"

    private static let groups: [(options: String, advice: String)] = access + transfer + files + output + unsupported

    private static let access = [
        (
            "--proxy-user --proxy-pass --proxy-password --proxy-passwd --all-proxy-user --all-proxy-passwd --http-proxy-user "
                + "--http-proxy-passwd --https-proxy-user --https-proxy-passwd --ftp-proxy-user --ftp-proxy-passwd",
            "write --proxy-user-file FILE"
        ),
        ("--oauth2-bearer", "write --bearer-file FILE"),
        ("--ftp-user", "write --user NAME --password-file FILE"),
        ("--ftp-passwd --pass", "a password on the command line can be read by others: write --password-file FILE"),
        ("--ask-password --use-askpass", "not needed: with --user NAME the password is asked for"),
        (
            "--digest --basic --negotiate --ntlm --anyauth --auth-no-challenge --http-auth-challenge",
            "write --auth SCHEME: any, basic, digest, negotiate or ntlm"
        ),
        (
            "--socks5 --socks5-hostname --socks4 --socks4a --preproxy",
            "write --proxy socks5://HOST:PORT (or socks5h, socks4, socks4a)"
        ),
        ("--all-proxy --http-proxy --https-proxy --ftp-proxy --proxy1.0", "write --proxy URL"),
        ("--noproxy", "write --no-proxy LIST"),
        (
            "--proxytunnel --proxy-method --proxy-basic --proxy-anyauth --proxy-digest",
            "not needed: chosen automatically"
        ),
        ("--bind-address --multiple-interface", "write --interface NAME"),
        ("--inet4-only --disable-ipv6", "write --ipv4"), ("--inet6-only", "write --ipv6"),
        ("--prefer-family", "write --ipv4 or --ipv6"),
        ("--aws-sigv4", "not supported: write a presigned URL"),
        ("--netrc-path", "write --netrc-file FILE"), ("--netrc-optional", "write --netrc"),
        ("--no-netrc", "not needed: the netrc file is used only with --netrc"),
        ("--ca-directory --capath", "write --ca-certificate FILE"),
        (
            "--cookie-jar --save-cookies --keep-session-cookies --junk-session-cookies",
            "not supported: cookies are not saved"
        ),
        ("--location-trusted", "not supported: a password is sent only to the origin of the URL"),
        (
            "--tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --secure-protocol --min-tls-version --tls-max -1 -2 -3",
            "not needed: the newest TLS version that the server supports is used, at least 1.2"
        ),
        ("--tlsv1.3", "not supported: the newest TLS version that the server supports is used, at least 1.2"),
        ("--ssl --ssl-reqd --ftp-ssl --ftp-ssl-reqd", "write ftpes:// instead of ftp:// in the URL"),
        ("--http1.1", "not needed: Haul uses HTTP/1.1"),
        (
            "--http1.0 --http2 --http2-prior-knowledge --http3 --http3-only -0",
            "not supported: Haul uses HTTP/1.1, with several connections if that is faster"
        ),
        ("--ciphers", "not supported: the TLS library chooses the strongest cipher that the server supports"),
        (
            "--pinnedpubkey --crl-file",
            "not supported: write --ca-certificate FILE to restrict what is trusted"
        ),
        (
            "--ftp-pasv --no-passive-ftp --disable-epsv --ftp-type --ftp-reuse-connection",
            "not supported: FTP is passive and binary"
        ),
        ("--ftp-port", "not supported: FTP is passive"),
    ]

    private static let transfer = [
        ("--bwlimit --max-speed --rate-limit --limit-speed", "write --limit-rate RATE"),
        ("--transfers", "write --jobs N"),
        ("--multi-thread-streams", "write --connections N"), ("--contimeout", "write --connect-timeout SECONDS"),
        ("--low-level-retries", "write --retries N"), ("--ignore-existing", "write --on-conflict skip"),
        (
            "--speed-limit --speed-time --lowest-speed-limit -Y -y", "write --min-speed RATE:SECONDS"
        ),
        ("--read-timeout", "write --idle-timeout SECONDS"), ("--dns-timeout", "write --connect-timeout SECONDS"),
        ("--compression --http-accept-gzip", "write --compressed"),
        ("--no-compression", "not needed: see --compressed"),
        ("--parallel-max", "write -j N"), ("--parallel-immediate --force-sequential", "write -j N"),
        (
            "--retry-delay --retry-wait --waitretry --retry-max-time",
            "not supported: the waits between retries grow automatically; write --max-wait SECONDS or --max-time SECONDS"
        ),
        (
            "--retry-all-errors --retry-on-http-error --max-file-not-found",
            "not supported: what is retried follows from the error; write --retries N"
        ),
        (
            "--wait --random-wait --rate",
            "not supported: Haul does not wait between downloads; to slow down write --limit-rate RATE"
        ),
        (
            "--max-redirs --max-redirect", "not supported: up to 20 redirects are followed"
        ),
        ("--min-split-size --piece-length --stream-piece-selector --uri-selector", "not needed: chosen automatically"),
        ("--start-pos", "write --range FIRST-"), ("--next", "not needed: write several URLs"),
        ("--url", "not needed: write the URL alone"),
        ("--no-cache --http-no-cache", "write -H 'Cache-Control: no-cache'"),
        ("--no-glob", "write --globoff"), ("--parameterized-uri", "not needed: {a,b} and [1-9] are expanded"),
        (
            "--no-keepalive --no-http-keep-alive --enable-http-keep-alive --keepalive-time --tcp-nodelay --no-buffer "
                + "--enable-http-pipelining --disk-cache --async-dns --path-as-is --no-dns-cache --no-sessionid",
            "not needed: set automatically"
        ),
        (
            "--always-resume --max-resume-failure-tries --server-stat-of --server-stat-if --server-stat-timeout --enable-mmap "
                + "--allow-piece-length-change",
            "not needed: set automatically"
        ),
        (
            "--trust-server-names",
            "not supported: after a redirect, the file keeps the name of the URL that was given; for another one write -o FILE"
        ),
        (
            "--proto --proto-redir --https-only",
            "not needed: a redirect from https to http, or to any other scheme, is refused"
        ),
        ("--threads", "write -c N"), ("--no-hsts", "not needed: Haul keeps no list of hosts (HSTS)"),
        ("--hsts --alt-svc", "not supported: Haul keeps no list of hosts"),
        ("--no-iri", "not supported: a host name beyond ASCII is converted to punycode"),
        ("--ignore-length", "not supported: a response that is shorter than its Content-Length is an error"),
        ("--fail-early", "not supported: the other downloads continue"),
        ("--remove-on-error", "not supported: an unfinished file NAME.part is kept, to resume it"),
        (
            "--resolve --connect-to --dns-servers --async-dns-server --doh-url",
            "not supported: the system resolves names"
        ),
        ("--unix-socket", "not supported"), ("--max-filesize --quota -Q", "not supported: sizes are not limited"),
    ]

    private static let files = [
        ("--metalink-file --input-metalink", "write --metalink FILE"),
        (
            "--fail-with-body --content-on-error",
            "not supported: a status such as 404 is an error, and the body of its response is not shown"
        ),
        ("--remote-name-all", "not needed: a file gets its name from the server or the URL"),
        ("--ftp-create-dirs", "not needed: missing folders are created"),
        ("--overwrite --force", "write --on-conflict replace"),
        ("-nc --skip-existing", "write --on-conflict skip"),
        ("--unlink", "not needed: a file is replaced by a rename"), ("--backups", "write --on-conflict rename"),
        ("--conditional-get --time-cond --if-modified-since --no-if-modified-since", "write --on-conflict keep"),
        ("--etag-compare --etag-save", "write --on-conflict keep"),
        ("--no-use-server-timestamps", "not supported: a file gets the server's date"),
        ("--file-allocation --no-file-allocation-limit", "not needed: space is reserved automatically"),
        ("--check-integrity --hash-check-only", "write --verify-existing, or haul verify"),
        ("--force-save --save-session --pause", "write haul add URL"),
        ("--xattr --create-file-mode --preserve-permissions", "not supported"),
        (
            "--no-directories --no-host-directories -nd -nH --cut-dirs",
            "not needed: a file goes into the folder of -d"
        ),
        (
            "--force-directories --protocol-directories --default-page --adjust-extension --restrict-file-names",
            "not supported: for another name write -o FILE"
        ),
    ]

    private static let output = [
        ("--output-file --stderr", "write --log-file FILE"),
        ("--progress --progress-bar --show-progress -#", "not needed: progress is shown on a terminal"),
        ("--no-progress --no-progress-meter --no-show-progress", "write --verbosity line, or -q"),
        ("--show-console-readout --summary-interval --human-readable --enable-color", "write --verbosity LEVEL"),
        ("--console-log-level --debug --trace --trace-ascii --trace-time --server-response", "write --log-level debug"),
        (
            "--dump-header --save-headers --include",
            "not supported: headers are not saved; for a look write --log-level debug"
        ),
        ("-V", "write haul --version; aria2's check-integrity is --verify-existing"), ("--manual", "write haul manual"),
        ("-M", "aria2's is --metalink FILE; for curl's write haul manual"),
        ("--download-result", "write --json"), ("--report-speed", "not supported: speeds are in bytes per second"),
    ]

    private static let unsupported = [
        (
            "-F -I --head --upload-file --spider --form --form-string --form-escape --dry-run --use-head --append "
                + "--crlf",
            onlyDownloads
        ),
        ("--url-query --get -G", "write the query into the URL: 'https://HOST/PATH?NAME=VALUE'"),
        ("-X --request", "write --method METHOD"),
        ("--post-data --body-data --data-ascii --data-raw", "write --data TEXT"),
        ("--post-file --body-file --data-binary", "write --data @FILE"),
        ("--data-urlencode", "write --data TEXT, with the text encoded"),
        (
            "--post301 --post302 --post303", "not supported: after 301, 302 and 303, a GET without the body follows"
        ),
        (
            "-np --recursive --level --page-requisites --no-parent --convert-links --span-hosts --accept --reject --domains "
                + "--exclude-domains --include-directories --exclude-directories --accept-regex --reject-regex --follow-tags "
                + "--follow-ftp --relative --delete-after --warc-file --base --force-html",
            notRecursive
        ),
        ("-K --conf-path", "write --config FILE"), ("--no-conf --disable", "write --no-config"),
        ("--execute", "not supported: write the option itself"),
        (
            "--daemon --enable-rpc --rpc-secret --rpc-listen-port --rpc-listen-all",
            "write haul daemon start, or haul aria2c"
        ),
        (
            "--on-download-complete --on-download-error --on-download-stop --on-download-start --on-download-pause",
            "write haul aria2c, or hooks in the daemon's configuration"
        ),
        (
            "--seed-time --seed-ratio --bt-tracker --bt-max-peers --listen-port --enable-dht --follow-torrent --torrent-file "
                + "--max-upload-limit --max-overall-upload-limit",
            "not supported: Haul has no BitTorrent"
        ),
        ("--follow-metalink", "write --metalink URL"),
        ("--quote --mail-from --mail-rcpt --telnet-option --list-only", "not supported"),
        ("--stop", "write --max-time SECONDS"),
        ("--gid --stop-with-process --rlimit-nofile --event-poll", "not supported"),
    ]
}
