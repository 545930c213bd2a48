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

    /// Reads a table.
    init(_ table: TOMLReader.Table) throws(DownloadError) {
        if let unknown = table.keys.sorted().first(where: { !["on", "command", "timeout"].contains($0) }) {
            throw DownloadError(
                .invalidRequest,
                "unknown field \"\(URLRedaction.quoted(unknown, width: 40))\" of a hook: expected on, command or timeout"
            )
        }
        guard let on = Self.texts(table["on"]), let command = Self.texts(table["command"]) else {
            throw DownloadError(
                .invalidRequest, "a hook needs on = [\"completed\"] and command = [\"PROGRAM\", \"ARGUMENT\"]")
        }
        (self.on, self.command) = (on, command)
        switch table["timeout"] {
        case .whole(let seconds)?: timeout = Double(seconds)
        case .number(let seconds)?: timeout = seconds
        case nil: break
        case .text?, .flag?, .list?:
            throw DownloadError(.invalidRequest, "timeout: expected a number of seconds")
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
