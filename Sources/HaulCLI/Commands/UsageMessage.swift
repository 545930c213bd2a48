import HaulCore

/// Makes one line of what the argument parser has to say.
package enum UsageMessage {
    /// Something else stands where a command should.
    package static func noCommand(_ text: String, suggestion: String? = nil) -> String {
        guard !text.isEmpty else { return "the first argument is empty: give a URL or a command (see haul --help)" }
        let advice =
            if text == "version" {
                ": did you mean haul --version?"
            } else if let suggestion {
                ": did you mean haul \(suggestion)?"
            } else if text == "aria2c" {
                " with its own help: haul aria2c --help"
            } else if text.contains("://"), text.first?.isWhitespace == true {
                ": remove the space before the URL"
            } else if ["http:", "https:"].contains(where: text.hasPrefix), !text.contains("://") {
                ": write \(text.prefix { $0 != ":" })://, then the host"
            } else {
                text.contains("/") ? ": to download it, write haul get, then the URL" : " (see haul --help)"
            }
        return "\"\(URLRedaction.shown(text))\" is not a command\(advice)"
    }

    /// An argument is not UTF-8.
    ///
    /// - Parameter shown: The argument, with `\xNN` for each such byte.
    package static func undecodable(_ shown: String) -> String {
        "the argument \"\(TerminalText.printable(URLRedaction.inText(shown)))\" is not UTF-8, and such names are not supported: "
            + "rename the file, or change to its folder first (cd); in a URL, write %XX for the byte"
    }

    /// The message on one line, without the credentials of a URL in the wrong place, and with where to look for what would be right: the help of `haul` or of that command of it.
    package static func line(_ message: String, command: String?, arguments: [String] = []) -> String {
        let parts = message.split(separator: "'", omittingEmptySubsequences: false)
        if parts.count > 2, parts[0] == "Unknown option ",
            let hint = CommandHint.line(for: String(parts[1].prefix { $0 != "=" }), of: command)
        {
            return hint
        }
        // Others are about `haul get`, whose options a batch does not have.
        if command != "batch", let hint = HabitHint.line(for: message, arguments: arguments) { return hint }
        var line = URLRedaction.inText(message).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        if line.last == "." { line.removeLast() }
        line = line.prefix(1).lowercased() + line.dropFirst()
        if let question = line.firstRange(of: " Did you mean") {
            if isNear(parts) { return line }
            line = String(line[..<question.lowerBound])
            if line.last == "." { line.removeLast() }
        }
        return "\(line) (see haul \(command.map { "\($0) " } ?? "")--help)"
    }
}

extension UsageMessage {
    /// Returns the hints for further options that the command does not have: the parser names only the first one.
    ///
    /// - Parameters:
    ///   - line: The line about the first one.
    ///   - known: The options of the command, for which other programs may use the same name.
    package static func further(
        after line: String, command: String?, arguments: [String], known: Set<String>
    ) -> [String] {
        var said = [line]
        for option in arguments.prefix(while: { $0 != "--" }).map({ String($0.prefix { $0 != "=" }) })
        where option.hasPrefix("-") && !known.contains(option) && !said.contains(where: { $0.hasPrefix("\(option): ") })
        {
            let hint = CommandHint.line(for: option, of: command)
            let habit = command == "batch" ? nil : HabitHint.advice[option].map { "\(option): \($0)" }
            if let line = hint ?? habit { said.append(line) }
        }
        return Array(said.dropFirst())
    }

    /// Returns true if the option that the parser suggests is spelled nearly like the one that was given: it suggests
    /// others as well, such as the opposite.
    private static func isNear(_ parts: [Substring]) -> Bool {
        let names = parts.filter { $0.hasPrefix("-") }.map { $0.drop { $0 == "-" }.prefix { $0 != "=" } }
        guard names.count == 2 else { return true }
        let distance = CommandSuggestion.distance(Array(names[0].utf8), Array(names[1].utf8))
        return distance <= max(1, names[0].utf8.count / 4)
    }
}

/// What to write instead of an option that another command has, or a program with the same purpose.
enum CommandHint {
    static let daemonSettings: Set<String> = [
        "--ca-certificate", "--jobs", "--log-level", "--no-proxy", "--proxy",
    ]
    static let output: Set<String> = ["--log-file", "--quiet", "--verbosity"]
    static let onlyGet: Set<String> = [
        "--client-certificate", "--client-key", "--interface", "--ipv4", "--ipv6", "--load-cookies", "--metalink",
        "--netrc", "--netrc-file", "--partial-folder", "--proxy-user-file", "--stream-window",
        "--wait-for-network",
    ]

    private static let rowsRemain = "not needed: rows with a result are not fetched again"
    private static let rowsAtATime = "write -j N, the number of rows at a time"
    private static let savedAsTheyAre = "not supported: files are saved as they are sent"

    /// The words of img2dataset, rclone and `haul get` for what `haul batch` calls otherwise, or does not have.
    private static let batch = [
        "--output-folder": "write --out FOLDER", "--url-list": "name the manifest as an argument",
        "--url-col": "write --url-column COLUMN", "--caption-col": "not needed: all columns are kept",
        "--save-additional-columns": "not needed: all columns are kept",
        "--input-format": "write --manifest-format FORMAT", "--output-format": "write --format tar or files",
        "--number-sample-per-shard": "write --rows-per-part N", "--thread-count": rowsAtATime,
        "--processes-count": rowsAtATime, "--transfers": rowsAtATime, "--checkers": rowsAtATime, "-x": rowsAtATime,
        "--connections": rowsAtATime, "--resize-mode": savedAsTheyAre, "--image-size": savedAsTheyAre,
        "--incremental-mode": rowsRemain, "--ignore-existing": rowsRemain, "--overwrite": rowsRemain,
        "--on-conflict": rowsRemain, "--resume": rowsRemain, "--continue": rowsRemain,
        "--timeout": "write --row-deadline SECONDS", "--max-filesize": "write --max-size SIZE",
        "--dry-run": "write --plan", "--bwlimit": "write --limit-rate RATE",
    ]

    /// Returns the hint for an option that a command does not have, or nil.
    static func line(for option: String, of command: String?) -> String? {
        switch (command, option) {
        case ("batch", _): batch[option.split(separator: "_").joined(separator: "-")].map { "\(option): \($0)" }
        case ("verify", "-c"), ("verify", "--check"): "\(option): write --checksums LIST"
        case ("add", _) where daemonSettings.contains(option):
            "\(option): this is a setting of the daemon: haul daemon restart \(option) VALUE"
        case ("add", _) where output.contains(option): "\(option): for the progress write --wait, or haul watch"
        case ("add", "--wait-for-network"): "\(option): downloads of the daemon always wait for the network"
        case ("add", "--why"): "\(option): write haul show ID while it runs"
        case ("add", _) where onlyGet.contains(option): "\(option): only haul get has this option"
        default: nil
        }
    }
}
