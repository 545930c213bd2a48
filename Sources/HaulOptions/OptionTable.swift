import HaulCore

/// The options of a download, each in one row: the only place that knows its name, its form, its help and its property.
package enum OptionTable {
    /// All options, in the order of the help, which is also the order in which they are applied.
    package static let all: [DownloadOption] = files + transfer + access + queue

    /// Returns the options of a section that a command has.
    package static func rows(_ group: DownloadOption.Group, _ scope: DownloadOption.Scope) -> [DownloadOption] {
        all.filter { $0.group == group && $0.scope.contains(scope) }
    }

    /// Returns the option with a name; nil if there is none.
    package static func named(_ name: String) -> DownloadOption? { byName[name] }

    /// Returns the reader for a name in a list; nil if a list may not have it.
    package static func listed(_ name: String) -> DownloadOption.Reader? {
        if let alias = byAlias[name], alias.isListed { return alias.read }
        return byName[name].flatMap { $0.scope.contains(.list) ? $0.read : nil }
    }

    /// Returns the option that aria2 has by a name, in aria2's form; nil if no option of a single property has it.
    package static func aria2(_ name: String) -> DownloadOption.Alias? { byAlias[name] }

    /// The options that aria2's interface reports in its own form.
    package static let reported = all.flatMap(\.aliases).filter { $0.report != nil }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
    private static let byAlias = Dictionary(uniqueKeysWithValues: all.flatMap(\.aliases).map { ($0.name, $0) })

    private static let files: [DownloadOption] = [
        .flag(
            "no-linked-mirrors", "Ignore mirrors in the server's Link headers.", .files, \.source.usesLinkedMirrors,
            inverts: true, scope: [.get, .add, .host]),
        .value(
            "checksum", "algorithm:hex", "Checksum that the file must have. One file only.", .files,
            \.verification.checksum, .checksum, scope: [.get, .add, .list],
            aliases: [
                .init(
                    name: "checksum",
                    read: { text, spec throws(DownloadError) in
                        spec.verification.checksum = try Checksum(parsing: text)
                    },
                    report: { $0.verification.checksum.map { "\($0.algorithm.label)=\($0.hex)" } })
            ]),
        .value(
            "on-conflict", "policy",
            "If the file exists: fail, replace it, rename the new one, skip the download, or keep it if it is the same (otherwise replace it) (default: fail).",
            .files, \.placement.onConflict, .choice,
            aliases: [
                .init(name: "allow-overwrite") { text, spec throws(DownloadError) in
                    if try OptionForm.truth.parse(text) {
                        spec.placement.onConflict = .replace
                    } else if [.replace, .keep].contains(spec.placement.onConflict) {
                        spec.placement.onConflict = .fail
                    }
                },
                .init(name: "auto-file-renaming") { text, spec throws(DownloadError) in
                    let isRenaming = try OptionForm.truth.parse(text)
                    if spec.placement.onConflict == (isRenaming ? .fail : .rename) {
                        spec.placement.onConflict = isRenaming ? .rename : .fail
                    }
                },
            ]),
        .flag(
            "find-checksum", "Look for a checksum on the server: URL.sha256, SHA256SUMS and the like.", .files,
            \.verification.findsChecksum, scope: [.get, .add, .verify, .host]),
        .flag(
            "no-header-checksum", "Ignore the checksum in the server's response headers.", .files,
            \.verification.usesHeaderChecksum, inverts: true, scope: [.get, .add, .verify, .host]),
        .flag(
            "verify-existing", "If the file exists, verify it, and keep it if it is correct.", .files,
            \.placement.verifiesExisting, scope: [.get, .add, .host],
            aliases: [
                .init(name: "check-integrity", isListed: false) { text, spec throws(DownloadError) in
                    spec.placement.verifiesExisting = try OptionForm.truth.parse(text)
                }
            ]),
        .value(
            "partial-folder", "folder", "Keep partial files in this folder during the download.", .files,
            \.local.partialFolder, .folder, scope: [.get, .list, .host]),
        .flag(
            "continue",
            "Resume unfinished files of curl, wget, aria2, axel and browsers, after comparing them with the server's.",
            .files,
            aliases: [
                .init(name: "continue") { text, spec throws(DownloadError) in
                    spec.placement.resumes = try OptionForm.truth.parse(text)
                    spec.placement.adoptsPartials = spec.placement.resumes
                }
            ]
        ) { isSet, spec in
            spec.placement.adoptsPartials = isSet
        },
        .flag(
            "no-resume", "Do not resume, and do not keep a partial file.", .files, \.placement.resumes, inverts: true),
    ]

    private static let transfer: [DownloadOption] = [
        .value(
            "connections", "n", "Connections per download: 1 to 64, or auto (default: auto).", .transfer,
            \.transfer.connections, .connections, letter: "c"),
        .value(
            "range", "first-last", "Download only this range of bytes, both ends included: 0-999, or 1000- to the end.",
            .transfer, \.source.range, .range, scope: [.get, .add, .list]),
        .value(
            "retries", "n",
            "Give up after this many retries in a row without progress (default: 5); haul get gives up after one if the host has no address or refuses, unless --retry-connrefused is given.",
            .transfer,
            \.transfer.retries, .number(0...1000),
            aliases: [
                // The first attempt counts in aria2, and 0 means no limit.
                .init(name: "max-tries") { text, spec throws(DownloadError) in
                    let tries = try WholeNumber.parse(text, in: 0...Int.max)
                    spec.transfer.retries = tries == 0 ? 1_000_000 : min(tries, 1_000_000) - 1
                }
            ]),
        .flag(
            "retry-connrefused", "Retry as often if the host has no address or refuses the connection.", .transfer,
            \.transfer.retriesUnreachable),
        .value(
            "connect-timeout", "seconds", "Maximum time to connect (default: 15).", .transfer,
            \.transfer.connectTimeout, .seconds,
            aliases: [
                .seconds("connect-timeout", \.transfer.connectTimeout)
            ]),
        .value(
            "idle-timeout", "seconds", "Maximum time without receiving data (default: 30).", .transfer,
            \.transfer.idleTimeout, .seconds, aliases: [.seconds("timeout", \.transfer.idleTimeout)]),
        .value(
            "max-wait", "seconds",
            "Maximum wait that a server may ask for (Retry-After), or unlimited (default: 60; in the daemon: unlimited).",
            .transfer, \.transfer.maxWait, .secondsOrUnlimited),
        .value(
            "max-time", "seconds", "Maximum time for one run of a download, including waits.", .transfer,
            \.transfer.maxTime, .seconds),
        .value(
            "min-speed", "rate:seconds",
            "Abort and retry if the average speed over this time is lower, such as 10K:30.", .transfer,
            \.transfer.minSpeed, .minimumSpeed),
        .value(
            "limit-rate", "rate", "Maximum speed of each download, in bytes per second, such as 500K.", .transfer,
            \.transfer.rateLimit, .rate, scope: [.add, .list, .host],
            aliases: [
                // aria2's 0 means no limit.
                .init(
                    name: "max-download-limit",
                    read: { text, spec throws(DownloadError) in
                        spec.transfer.rateLimit = text == "0" ? nil : try OptionForm.rate.parse(text)
                    }, report: { String($0.transfer.rateLimit ?? 0) })
            ]),
        .value(
            "networks", "kind",
            "Networks to use: any, or unmetered to wait while the network is expensive or constrained, where the system reports that.",
            .transfer, \.transfer.networks, .choice, scope: .add),
        .flag(
            "compressed",
            "Request compression (gzip, deflate) and decode the file. Uses one connection; cannot be resumed.",
            .transfer,
            aliases: [
                .init(name: "http-accept-gzip") { text, spec throws(DownloadError) in
                    spec.transfer.compression.set(.request, try OptionForm.truth.parse(text))
                }
            ]
        ) { isSet, spec in
            spec.transfer.compression.set(.request, isSet)
        },
        .flag("raw", "Save a compressed response as it is sent, without decoding it.", .transfer) { isSet, spec in
            spec.transfer.compression.set(.keep, isSet)
        },
        .flag(
            "fail-on-html", "Fail if a web page is sent instead of a file such as a.zip; the default is to warn.",
            .transfer, \.verification.failsOnHTML),
    ]

    private static let access: [DownloadOption] = [
        DownloadOption(
            name: "header", letter: "H", shape: .values("header"),
            help: "Header to send, 'Name: value'; may be repeated.", group: .access, scope: .standard,
            aliases: [
                .init(name: "headers") { text, spec throws(DownloadError) in
                    spec.access.headers.append(try HeaderArgument(parsing: text).header)
                }
            ]
        ) { text, spec throws(DownloadError) in
            spec.access.headers.append(try HeaderArgument(parsing: text).header)
        },
        // Not in lists: they may come from strangers, and a POST may change something.
        DownloadOption(
            name: "data", shape: .values("data"),
            help: "Send this in the body of a POST request, or @FILE for a file as it is; several are joined with &.",
            group: .access, scope: [.get, .add]
        ) { text, spec throws(DownloadError) in
            try DataArgument(parsing: text).append(to: &spec.source.body)
        },
        .value(
            "method", "method", "Request method, such as POST or PUT (default: POST with --data, otherwise GET).",
            .access,
            \.source.method, .text, scope: [.get, .add]),
        .flag(
            "repeat-request",
            "Repeat a POST request after a failure, even if the server may have carried it out.", .access,
            \.transfer.repeatsRequest, scope: [.get, .add]),
        .header("user-agent", "User-Agent", "text", "User-Agent to send."),
        .value(
            "referer", "url", "Referer to send, only to the URL's own origin.", .access, \.access.referer, .referer,
            aliases: [
                // aria2's * is the URL itself.
                .init(
                    name: "referer",
                    read: { text, spec throws(DownloadError) in
                        let referer = text == "*" ? spec.source.url : text
                        spec.access.referer = text.isEmpty ? nil : try OptionForm.referer.parse(referer)
                    }, report: { $0.access.sentReferer })
            ]),
        .value(
            "user", "name", "User name, sent only to the URL's own origin.", .access, \.access.user, .user,
            scope: [.get, .add, .verify, .host]),
        // On the command line, these two may name standard input as well: see CommandSetting.Section.
        .value(
            "password-file", "file", "", .access, \.access.password, .secretFile, scope: .host),
        .value("bearer-file", "file", "", .access, \.access.bearerToken, .secretFile, scope: .host),
        .value(
            "auth", "scheme",
            "Authentication scheme: any (the best that the server offers), basic, digest, ntlm or negotiate (default: any).",
            .access, \.access.authentication, .choice, scope: [.get, .add, .verify, .host]),
        .value(
            "netrc-file", "file", "Look up credentials in this netrc file.", .access, \.local.netrcPath, .file,
            scope: [.get, .verify, .host]),
        .value(
            "load-cookies", "file", "Send the cookies in this file (Netscape format).", .access, \.local.cookiePath,
            .file, scope: [.get, .verify, .host]),
        .value(
            "client-certificate", "file", "Client certificate (PEM).", .access, \.local.clientCertificatePath, .file,
            scope: [.get, .verify, .host]),
        .value(
            "client-key", "file", "Private key of the client certificate (PEM), if it is in another file.", .access,
            \.local.clientKeyPath, .file, scope: [.get, .verify, .host]),
        .flag(
            "insecure", "Accept any server certificate.", .access, \.access.insecure,
            scope: [.get, .add, .verify, .list, .host],
            aliases: [
                .init(name: "check-certificate") { text, spec throws(DownloadError) in
                    spec.access.insecure = try !OptionForm.truth.parse(text)
                }
            ]),
        .flag("allow-downgrade", "Follow redirects from https to http.", .access, \.access.allowsDowngrade),
    ]

    private static let queue: [DownloadOption] = [
        .value(
            "key", "key", "Your own unique key for the download. One URL only.", .queue, \.queueing.key, .text,
            scope: .add),
        .value("group", "name", "Group that the downloads belong to.", .queue, \.queueing.group, .text, scope: .add),
        DownloadOption(
            name: "tag", shape: .values("name"), help: "Tag of the downloads; may be repeated.", group: .queue,
            scope: .add
        ) { text, spec in spec.queueing.tags.insert(text) },
        .value(
            "priority", "n", "Priority from -1000 to 1000; higher ones start first.", .queue, \.queueing.priority,
            .priority, scope: .add),
        .value(
            "not-before", "time", "Start no earlier than this time, such as 2026-01-31T12:00:00Z.", .queue,
            \.queueing.notBefore, .time, scope: .add),
        DownloadOption(
            name: "after", shape: .values("id"),
            help: "Start only when this download has finished or was removed; may be repeated.",
            group: .queue, scope: .add
        ) { text, spec throws(DownloadError) in
            let id = try WholeNumber.parse(text, in: 1...Int.max)
            spec.queueing.after.insert(DownloadID(rawValue: Int64(id)))
        },
        .flag("paused", "Add the downloads paused.", .queue, \.queueing.startsPaused, scope: .add),
        .flag("now", "Start at once, even beyond the limits.", .queue, \.queueing.startsAtOnce, scope: .add),
    ]
}

extension Compression {
    /// Switches a kind on; or off, which leaves the other kinds as they are.
    fileprivate mutating func set(_ kind: Compression, _ isSet: Bool) {
        if isSet {
            self = kind
        } else if self == kind {
            self = .decode
        }
    }
}

extension DownloadOption {
    /// Creates an option for a header of its own, which replaces one of the same name.
    fileprivate static func header(
        _ name: String, _ field: String, _ valueName: String, _ help: String
    ) -> DownloadOption {
        DownloadOption(name: name, shape: .value(valueName), help: help, group: .access, scope: .standard) {
            text, spec throws(DownloadError) in
            let header = try HeaderArgument(name: field, value: text).header
            spec.access.headers.removeAll { $0.name.lowercased() == field.lowercased() }
            spec.access.headers.append(header)
        }
    }
}

extension DownloadOption.Alias {
    /// Creates a name for a duration, which aria2 has in whole seconds up to 600.
    fileprivate static func seconds(
        _ name: String, _ path: @autoclosure @escaping DownloadOption.Path<Duration>
    ) -> Self {
        Self(
            name: name,
            read: { text, spec throws(DownloadError) in spec[keyPath: path()] = try OptionForm.seconds.parse(text) },
            report: { String(min(600, max(1, $0[keyPath: path()].components.seconds))) })
    }
}
