/// User names and passwords by host, from a file in the format of `.netrc` (ftp(1), "THE .netrc FILE").
///
/// Printing a value never shows a password.
package struct Netrc: Sendable, Hashable {
    private struct Entry: Hashable {
        /// The host in lower case; nil for `default`, which matches any host.
        var machine: String?
        var login = ""
        var password = ""
    }

    private var entries: [Entry] = []

    /// Parses a file; unknown words are skipped.
    ///
    /// A word may be in double quotes, with `\"`, `\\`, `\n`, `\r` and `\t` in it, as in curl. A `#` in place of a
    /// keyword begins a comment. The commands of a `macdef` end at an empty line.
    package init(parsing bytes: [UInt8]) {
        var words = NetrcWords(bytes)
        while let word = words.next() {
            switch word {
            case "machine": entries.append(Entry(machine: Self.host(words.next() ?? "")))
            case "default": entries.append(Entry())
            case "login": change(\.login, words.next())
            case "password": change(\.password, words.next())
            case "account": _ = words.next()
            case "macdef": words.skipMacro()
            case _: if word.hasPrefix("#") { words.skipLine() }
            }
        }
    }

    /// Returns the user name and password for a host from the first entry that matches.
    ///
    /// - Parameters:
    ///   - host: The host in lower case; an IPv6 address may be in brackets.
    ///   - user: The user name, if already known: an entry with another one does not match.
    ///   - allowsDefault: True if the entry `default` matches any host.
    package func credentials(for host: String, user: String? = nil, allowsDefault: Bool) -> URLCredentials? {
        let host = Self.host(host)
        for entry in entries {
            guard entry.machine.map({ $0 == host }) ?? allowsDefault else { continue }
            guard user == nil || entry.login.isEmpty || entry.login == user else { continue }
            let credentials = URLCredentials(user: user ?? entry.login, password: entry.password)
            return credentials.isSendable ? credentials : nil
        }
        return nil
    }

    private mutating func change(_ path: WritableKeyPath<Entry, String>, _ value: String?) {
        guard let last = entries.indices.last, let value else { return }
        entries[last][keyPath: path] = value
    }

    private static func host(_ name: String) -> String {
        let name = name.utf8.asciiLowercasedText
        return name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
    }
}

extension Netrc: CustomStringConvertible, CustomReflectable {
    /// The number of entries.
    package var description: String { "\(entries.count) entries" }
    /// Hides the passwords from `dump`, too.
    package var customMirror: Mirror { Mirror(self, children: ["count": entries.count]) }
}

extension URLCredentials {
    /// True if Basic authentication can carry the credentials (RFC 7617, section 2): no colon in the user name, no
    /// control characters.
    package var isSendable: Bool {
        !(user.isEmpty && password.isEmpty) && !user.utf8.contains(UInt8(ascii: ":"))
            && !(user + password).utf8.contains(where: \.isASCIIControl)
    }
}
