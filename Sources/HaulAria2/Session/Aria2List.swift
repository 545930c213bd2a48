/// A list of downloads in aria2's format, which input files and sessions share (aria2(1), INPUT FILE).
///
/// The URIs of one download are on one line, separated by tabs; the following lines that begin with blanks are its
/// options.
package struct Aria2List: Hashable, Sendable {
    /// A download in a list.
    package struct Entry: Hashable, Sendable {
        /// The number of its first line, from 1.
        package var line: Int
        /// Its URIs.
        package var uris: [String]
        /// Its options in their original form, `name=value`.
        package var options: [JSON.Member]

        /// Creates an entry.
        package init(line: Int, uris: [String], options: [JSON.Member] = []) {
            self.line = line
            self.uris = uris
            self.options = options
        }
    }

    /// The downloads, in order.
    package var entries: [Entry]

    /// Creates a list.
    package init(_ entries: [Entry]) { self.entries = entries }

    /// The maximum size of a list, in bytes.
    package static let maxBytes = 256 << 20

    /// Parses a list; invalid option lines are ignored, as in aria2.
    package init(parsing bytes: [UInt8]) {
        entries = []
        var number = 0
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            number += 1
            var text = line
            if text.last == UInt8(ascii: "\r") { text = text.dropLast() }
            take(text, number)
        }
    }

    private mutating func take(_ line: ArraySlice<UInt8>, _ number: Int) {
        guard let first = line.first, first != UInt8(ascii: "#") else { return }
        guard first == 0x20 || first == 0x09 else {
            let uris = line.split(separator: 0x09).map { String(decoding: $0, as: UTF8.self) }
                .map { $0.trimmingBlanks }.filter { !$0.isEmpty }
            if !uris.isEmpty { entries.append(Entry(line: number, uris: uris)) }
            return
        }
        let option = line.drop { $0 == 0x20 || $0 == 0x09 }
        guard let equals = option.firstIndex(of: UInt8(ascii: "=")), !entries.isEmpty else { return }
        let name = String(decoding: option[..<equals], as: UTF8.self).trimmingBlanks
        let value = String(decoding: option[(equals + 1)...], as: UTF8.self).trimmingBlanks
        entries[entries.count - 1].add(name, value)
    }

    /// The list in the form of a file.
    ///
    /// A URI or a value with a line break is omitted, so that no content can start a line of its own.
    package var text: String {
        var result = ""
        for entry in entries {
            let uris = entry.uris.filter { !$0.utf8.contains { $0 < 0x20 } && !$0.hasPrefix("#") && !$0.hasPrefix(" ") }
            guard !uris.isEmpty else { continue }
            result += uris.joined(separator: "\t") + "\n"
            for option in entry.options {
                for value in option.value.elements ?? [option.value] {
                    guard let value = value.text, !value.utf8.contains(where: { $0 == 10 || $0 == 13 }) else {
                        continue
                    }
                    result += " \(option.name)=\(value)\n"
                }
            }
        }
        return result
    }
}

extension Aria2List.Entry {
    /// Adds an option; if it exists, it becomes a list.
    package mutating func add(_ name: String, _ value: String) {
        guard let index = options.firstIndex(where: { $0.name == name }) else {
            return options.append(JSON.Member(name, .string(value)))
        }
        // If the option is not a list, the last value counts, as in aria2.
        guard Aria2Option.named(name)?.kind == .list else {
            return options[index] = JSON.Member(name, .string(value))
        }
        let values = options[index].value.elements ?? [options[index].value]
        options[index] = JSON.Member(name, .array(values + [.string(value)]))
    }
}

extension String {
    /// The string without blanks and tabs at both ends.
    package var trimmingBlanks: String {
        let bytes = utf8.drop { $0 == 0x20 || $0 == 0x09 }
        let end = bytes.lastIndex { $0 != 0x20 && $0 != 0x09 }
        return end.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
    }
}
