/// The words of a `.netrc` file, in order.
struct NetrcWords {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Returns the next word, without its quotes; bytes that are not UTF-8 are replaced.
    mutating func next() -> String? {
        while index < bytes.count, Self.isBlank(bytes[index]) { index += 1 }
        guard index < bytes.count else { return nil }
        return String(decoding: bytes[index] == UInt8(ascii: "\"") ? quoted() : plain(), as: UTF8.self)
    }

    /// Skips the rest of the line.
    mutating func skipLine() {
        while index < bytes.count, bytes[index] != Self.newline { index += 1 }
    }

    /// Skips the name and the commands of a macro, which end at an empty line.
    mutating func skipMacro() {
        skipLine()
        while index < bytes.count {
            index += 1
            let start = index
            skipLine()
            if bytes[start..<index].allSatisfy({ $0 == UInt8(ascii: "\r") }) { return }
        }
    }

    private mutating func plain() -> ArraySlice<UInt8> {
        let start = index
        while index < bytes.count, !Self.isBlank(bytes[index]) { index += 1 }
        return bytes[start..<index]
    }

    private mutating func quoted() -> ArraySlice<UInt8> {
        var word: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != Self.newline {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count {
                index += 1
                word.append(Self.escaped(bytes[index]))
            } else {
                word.append(bytes[index])
            }
            index += 1
        }
        if index < bytes.count { index += 1 }
        return word[...]
    }

    private static let newline = UInt8(ascii: "\n")

    private static func isBlank(_ byte: UInt8) -> Bool { byte.isOptionalSpace || byte == newline || byte == 13 }

    private static func escaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "n"): newline
        case UInt8(ascii: "r"): 13
        case UInt8(ascii: "t"): 9
        case _: byte
        }
    }
}
