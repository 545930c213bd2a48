import HaulCore

/// Properties of file names suggested by servers.
enum NameChecks {
    /// Checks `Content-Disposition`: a name written as in RFC 6266 can be read back, and the saved name is always safe.
    static func contentDisposition(_ text: String) throws(FuzzFinding) {
        guard let url = try? SourceURL(parsing: "https://example.org/") else {
            throw FuzzFinding("a plain URL is refused")
        }
        try claimSafe(FileName.suggested(contentDisposition: text, url: url), limit: nameLimit)
        guard let name = ContentDisposition.fileName(text) else { return }
        try claim(!name.isEmpty, "a suggested name is never empty")
        let read = ContentDisposition.fileName("attachment; filename=\"\(quoted(name))\"")
        try claimSameBytes(read ?? "", name, "a quoted name is read back")
        let encoded = ContentDisposition.fileName("attachment; filename=x; filename*=UTF-8''\(percentEncoded(name))")
        try claimSameBytes(encoded ?? "", name, "an encoded name is read back, and wins")
    }

    /// Checks `FileName.safe`: the result is one component, has no misleading characters, fits, and is already safe.
    static func fileName(_ text: String) throws(FuzzFinding) {
        for (reserve, limit) in [(0, 255), (16, nameLimit), (191, 64), (.min, 255), (.max, 64)] {
            let name = FileName.safe(text, reserve: reserve)
            try claimSafe(name, limit: limit)
            try claimSameBytes(FileName.safe(name, reserve: reserve), name, "a safe name stays as it is")
        }
        let name = FileName.safe(text)
        for number in [1, 10, .max] {
            let other = FileName.numbered(name, number)
            try claimSafe(other, limit: nameLimit)
            try claim(!other.utf8.elementsEqual(name.utf8), "another name differs")
        }
    }

    private static let nameLimit = FileName.maximumByteCount - FileName.defaultReserve

    static func claimSafe(_ name: String, limit: Int) throws(FuzzFinding) {
        try claim(!name.isEmpty && name.utf8.count <= limit, "a name has 1 to \(limit) bytes: \"\(name)\"")
        try claim(
            !name.utf8.contains { $0 == 0 || "/\\<>:\"|?*".utf8.contains($0) },
            "a name holds no reserved sign: \"\(name)\"")
        let first = name.unicodeScalars.first
        try claim(first != "." && first != "-", "a name hides nothing and is no option: \"\(name)\"")
        for scalar in name.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                throw FuzzFinding("a name shows all that is in it: U+\(String(scalar.value, radix: 16))")
            default: continue
            }
        }
    }

    private static func quoted(_ name: String) -> String {
        String(
            decoding: name.utf8.flatMap { "\"\\".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }, as: UTF8.self)
    }

    private static func percentEncoded(_ name: String) -> String {
        name.utf8.map { "%" + (($0 < 16 ? "0" : "") + String($0, radix: 16)) }.joined()
    }
}

/// Properties of text shown on a terminal.
enum TerminalChecks {
    /// Checks that printed text never moves the cursor or reverses letters, and is never wider than requested.
    static func text(_ text: String) throws(FuzzFinding) {
        let printable = TerminalText.printable(text)
        try claimHarmless(printable)
        try claimSameBytes(TerminalText.printable(printable), printable, "a printable text stays as it is")
        for width in [.min, -1, 0, 1, 2, 3, 7, 80, .max] {
            let fitted = TerminalText.fitted(text, width: width)
            try claimHarmless(fitted)
            let taken = TerminalText.width(fitted)
            try claim(taken <= max(0, width), "a text of \(taken) columns does not fit \(width): \"\(fitted)\"")
        }
        try claimSameBytes(TerminalText.fitted(text, width: .max), printable, "a text that fits stays whole")
    }

    private static func claimHarmless(_ text: String) throws(FuzzFinding) {
        let isHarmless = text.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) && $0 != "\u{2028}" && $0 != "\u{2029}"
                && !$0.properties.isBidiControl
        }
        try claim(isHarmless, "a printable text controls nothing: \(Array(text.unicodeScalars))")
    }
}
