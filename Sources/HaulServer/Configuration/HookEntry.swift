import HaulCore

/// One table of `[[hooks]]`.
package struct HookEntry: Hashable, Sendable {
    /// The events, by the names of `HookEvent`.
    package var on: [String]
    /// The program and its arguments.
    package var command: [String]
    /// The maximum run time in seconds.
    package var timeout = 60.0
    /// The line of the configuration file on which it begins.
    package var line = 0

    /// The errors in the table.
    private(set) var problems: [DownloadError] = []

    /// Reads a table; what can't be read is empty.
    init(_ table: TOMLReader.Table, line: Int) {
        self.line = line
        (on, command) = (Self.texts(table["on"]) ?? [], Self.texts(table["command"]) ?? [])
        for unknown in table.keys.sorted() where !["on", "command", "timeout"].contains(unknown) {
            let name = URLRedaction.quoted(unknown, width: 40)
            problems.append(
                DownloadError(
                    .invalidRequest, "unknown field \"\(name)\" of a hook: expected on, command or timeout"))
        }
        if Self.texts(table["on"]) == nil || Self.texts(table["command"]) == nil {
            problems.append(
                DownloadError(
                    .invalidRequest, "a hook needs on = [\"completed\"] and command = [\"PROGRAM\", \"ARGUMENT\"]"))
        }
        switch table["timeout"] {
        case .whole(let seconds)?: timeout = Double(seconds)
        case .number(let seconds)?: timeout = seconds
        case nil: break
        case .text?, .flag?, .list?:
            problems.append(DownloadError(.invalidRequest, "timeout: expected a number of seconds"))
        }
    }

    private static func texts(_ value: TOMLReader.Value?) -> [String]? {
        guard case .list(let items)? = value else { return nil }
        let texts = items.compactMap { item in
            if case .text(let text) = item { text } else { nil }
        }
        return texts.count == items.count ? texts : nil
    }
}
