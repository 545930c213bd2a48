import CHaulSystem

/// The command line of the process, as the C library has it.
///
/// Swift's own `CommandLine` looks for it in memory or in `/proc`: it is empty if a preloaded library has moved the
/// environment, or where `/proc` is not mounted.
package enum ProcessArguments {
    /// A word that is not text.
    package struct Undecodable: Error, Hashable {
        /// The word, with `\xNN` for each byte that is not UTF-8.
        package let shown: String

        /// Makes the error of a word.
        package init(shown: String) { self.shown = shown }
    }

    /// The words of the command line, starting with the program's name.
    ///
    /// - Throws: `Undecodable` for the first word that is not UTF-8: as text, it would name another file.
    package static func words() throws(Undecodable) -> [String] {
        // Safe: a list of texts that ends with null, and that nobody changes.
        guard var entry = unsafe haul_arguments() else { return CommandLine.arguments }
        var words: [String] = []
        while let text = unsafe entry.pointee {
            let bytes = unsafe UnsafeBufferPointer(start: text, count: strlen(text)).map { UInt8(bitPattern: $0) }
            words.append(try word(bytes))
            unsafe entry += 1
        }
        return words
    }

    /// Returns the text of a word.
    ///
    /// - Throws: `Undecodable` if it is not UTF-8.
    package static func word(_ bytes: [UInt8]) throws(Undecodable) -> String {
        guard let word = String(validating: bytes, as: UTF8.self) else { throw Undecodable(shown: shown(bytes)) }
        return word
    }

    private static func shown(_ bytes: [UInt8]) -> String {
        var (result, rest) = ("", bytes[...])
        while !rest.isEmpty {
            // A character has at most four bytes.
            let character = (1...min(4, rest.count)).lazy.compactMap { count in
                String(validating: rest.prefix(count), as: UTF8.self).map { ($0, count) }
            }.first
            result += character?.0 ?? "\\x" + String(rest[rest.startIndex], radix: 16)
            rest = rest.dropFirst(character?.1 ?? 1)
        }
        return result
    }
}
