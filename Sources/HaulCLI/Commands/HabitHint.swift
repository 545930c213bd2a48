/// What to do about options that people know from curl, wget and aria2.
package enum HabitHint {
    private static let resume =
        "not needed: run the same command again to resume; for another program's file write --continue"
    private static let connections = "for the number of connections write -c N"
    private static let secret =
        "a password on the command line can be read by others: write --user NAME --password-file FILE"
    private static let timeout = "write --connect-timeout SECONDS or --idle-timeout SECONDS"

    /// The options, and what to write instead.
    static let advice = most.merging(HabitTable.advice) { first, _ in first }

    private static let most: [String: String] = [
        "-L": "not needed: redirects are followed", "--location": "not needed: redirects are followed",
        "-O": "not needed: a file gets its name from the server or the URL; for another name write -o FILE",
        "--remote-name": "not needed: a file gets its name from the server or the URL",
        "-J": "not needed: a file gets its name from the server or the URL",
        "--remote-header-name": "not needed: a file gets its name from the server or the URL",
        "--content-disposition": "not needed: a file gets its name from the server or the URL",
        "--output-document": "write -o FILE", "--out": "write -o FILE",
        "--create-dirs": "not needed: missing folders are created",
        "-P": "write -d FOLDER; curl's ftp-port is not supported", "--directory-prefix": "write -d FOLDER",
        "--dir": "write -d FOLDER",
        "--output-dir": "write -d FOLDER",
        "-k":
            "write --insecure; aria2's min-split-size is not needed; wget's convert-links: \(HabitTable.notRecursive)",
        "-p": "curl's proxytunnel is not needed; wget's page-requisites: \(HabitTable.notRecursive)",
        "-l": "aria2's log is --log-file FILE; wget's level: \(HabitTable.notRecursive)",
        "--no-check-certificate": "write --insecure",
        "--check-certificate": "instead of false write --insecure",
        "-C": resume, "--continue-at": resume, "--resume": resume,
        "-x": "\(connections); for a proxy write --proxy URL", "-s": "\(connections); to be quiet write -q",
        "--split": connections, "--max-connection-per-server": connections,
        "--max-concurrent-downloads": "write -j N", "-Z": "write -j N", "--parallel": "write -j N",
        "--max-download-limit": "write --limit-rate RATE", "--max-overall-download-limit": "write --limit-rate RATE",
        "-N": "write --on-conflict keep; curl's no-buffer is not needed", "--timestamping": "write --on-conflict keep",
        "-z": "write --on-conflict keep",
        "-n": "curl's --netrc is --netrc; wget's no-clobber is --on-conflict skip",
        "--no-clobber": "write --on-conflict skip",
        "--allow-overwrite": "instead of true write --on-conflict replace; otherwise an existing file is an error",
        "--auto-file-renaming":
            "instead of true write --on-conflict rename; otherwise an existing file is an error",
        "-nv": "write --verbosity line", "--no-verbose": "write --verbosity line",
        "-v": "write --log-level debug", "--verbose": "write --log-level debug", "--silent": "write -q",
        "-S": "not needed: errors are shown, with -q as well",
        "--show-error": "not needed: errors are shown, with -q as well",
        "-f": "not needed: a status such as 404 is an error", "--fail": "not needed: a status such as 404 is an error",
        "-A": "curl's user agent is --user-agent TEXT; wget's accept list: \(HabitTable.notRecursive)",
        "-U": "wget's user agent is --user-agent TEXT; curl's proxy user is --proxy-user-file FILE",
        "-e": "curl's referer is --referer URL; wget's execute is not supported",
        "-b": "write -H 'Cookie: NAME=VALUE' or --load-cookies FILE; for the background write haul add URL",
        "--cookie": "write -H 'Cookie: NAME=VALUE' or --load-cookies FILE", "--background": "write haul add URL",
        "-u": "write --user NAME --password-file FILE", "--http-user": "write --user NAME --password-file FILE",
        "--password": secret, "--http-password": secret, "--http-passwd": secret, "--passwd": secret,
        "--ftp-password": secret,
        "-r": "curl's --range is --range FIRST-LAST; wget's recursive: \(HabitTable.notRecursive)",
        "-D": "aria2's daemon is haul add URL; curl's dump-header and wget's domains are not supported",
        "-B": "not supported: lists have complete URLs, and FTP is binary",
        "-t": "write --retries N", "--tries": "write --retries N", "--retry": "write --retries N",
        "--max-tries": "write --retries N",
        "-T":
            "wget's is --connect-timeout SECONDS or --idle-timeout SECONDS; curl's upload: \(HabitTable.onlyDownloads)",
        "--timeout": timeout,
        "-m":
            "curl's --max-time is --max-time SECONDS; aria2's max-tries is --retries N; wget's mirror: "
            + HabitTable.notRecursive,
        "--cacert": "write --ca-certificate FILE", "--cert": "write --client-certificate FILE",
        "-E": "curl's certificate is --client-certificate FILE; wget's adjust-extension is not supported",
        "--key": "write --client-key FILE",
        "--certificate": "write --client-certificate FILE", "--private-key": "write --client-key FILE",
        "-a": "write --log-file FILE", "--append-output": "write --log-file FILE", "--log": "write --log-file FILE",
        "-w": "curl's write-out is --json; wget's wait is not supported", "--write-out": "write --json",
        "-R": "not needed: a file gets the server's date; wget's reject list: \(HabitTable.notRecursive)",
        "--remote-time": "not needed: a file gets the server's date",
        "--select-file": "write the URLs in a list, and -i LIST",
    ]

    /// The hint for what the argument parser said; nil if it is about something else.
    ///
    /// - Parameter arguments: Those of the process: of joined letters the parser names only the first one that it does not know.
    package static func line(for message: String, arguments: [String] = []) -> String? {
        if let word = arguments.prefix(while: { $0 != "--" }).first(where: isWord), let hint = advice[word] {
            return "\(word): \(hint)"
        }
        if message.hasPrefix("Missing value for '-c'") { return connectionsHint }
        if message.hasPrefix("Missing value for '--mirror") { return "\(mirrorHint); \(HabitTable.notRecursive)" }
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[0] == "Unknown option " else { return nil }
        let name = String(parts[1].prefix { $0 != "=" })
        if let hint = advice[name], arguments.contains(name) { return "\(name): \(hint)" }
        return joined(name, arguments) ?? (advice[name] ?? sentence(in: name)).map { "\(name): \($0)" }
    }

    /// Whether it is one of wget's options of two letters, such as `-nc`, which are not joined.
    private static func isWord(_ argument: String) -> Bool {
        argument.utf8.count == 3 && argument.hasPrefix("-n") && advice[argument] != nil
    }

    /// The advice for joined letters, or one with its value, that stand for something that Haul does not do.
    private static func sentence(in name: String) -> String? {
        guard !name.hasPrefix("--") else { return nil }
        // curl's method is a word.
        if let method = name.firstIndex(of: "X"), name[method...].count > 2 { return advice["-X"] }
        return name.dropFirst().lazy.compactMap { advice["-\($0)"] }
            .first { $0.hasSuffix(HabitTable.onlyDownloads) || $0.hasSuffix(HabitTable.notRecursive) }
    }

    /// The hint for `--mirror`, which is a switch of wget's, without a file that it is a source of.
    static let mirrorHint = "--mirror is another source of one file: give one URL with it"

    /// The hint for the first word of joined letters that has an unknown option in it.
    private static func joined(_ name: String, _ arguments: [String]) -> String? {
        let letters = name.drop { $0 == "-" }
        guard
            let place = arguments.firstIndex(where: {
                $0.hasPrefix("-") && !$0.hasPrefix("--") && $0.dropFirst().contains(letters)
            })
        else { return nil }
        return JoinedFlags.advice(at: place, in: arguments)
    }

    /// The hint for wget's and aria2's `-c`.
    package static let connectionsHint =
        "-c is the number of connections, such as -c 4; to resume, run the same command again; "
        + "for another program's unfinished file write --continue"

    /// The options that have a hint.
    static var options: [String] { advice.keys.sorted() }
}
