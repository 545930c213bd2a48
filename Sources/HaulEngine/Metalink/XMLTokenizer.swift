/// Reads an XML document piece by piece: elements, their attributes and text.
///
/// It reads the part of XML 1.0 that Metalink documents use, in UTF-8: elements, attributes, text, CDATA sections, character references and
/// the five entities of XML itself. Comments and processing instructions are skipped. Declarations (`<!DOCTYPE`, `<!ENTITY`) are refused,
/// so no document can grow while it is read or refer to other files. Anything that is not well-formed is an error.
struct XMLTokenizer {
    enum Token: Equatable {
        /// An element begins. An empty element (`<a/>`) is followed by its end.
        case start(name: String, attributes: [String: String])
        case end(name: String)
        /// Text of the element that is open; adjacent pieces can come separately.
        case text(String)
    }

    /// The first violation of the rules of XML.
    struct Problem: Error, Equatable {
        let reason: String
        /// Counted from 1.
        let line: Int
    }

    private let bytes: [UInt8]
    private var position = 0
    /// The names of the open elements.
    private var open: [String] = []
    private var hasRoot = false
    /// True after an empty element, until its end was returned.
    private var hasPendingEnd = false

    /// A tokenizer of a document, which must be valid UTF-8.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// Returns the next token, or nil at the end of the document.
    mutating func next() throws(Problem) -> Token? {
        if hasPendingEnd {
            hasPendingEnd = false
            return .end(name: open.removeLast())
        }
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "<") else {
                let text = try text()
                if !open.isEmpty { return .text(text) }
                guard text.allSatisfy({ $0.isXMLBlank }) else { throw problem("text outside the root element") }
                continue
            }
            if isAt("<!--") {
                try skipComment()
            } else if isAt("<?") {
                try skipInstruction()
            } else if isAt("<![CDATA[") {
                return .text(try section())
            } else if isAt("<!") {
                throw problem("it has a document type or entities")
            } else if isAt("</") {
                return try endTag()
            } else {
                return try startTag()
            }
        }
        guard open.isEmpty else { throw problem("<\(open[open.count - 1])> does not end") }
        guard hasRoot else { throw problem("it has no element") }
        return nil
    }

    // MARK: - Elements

    private mutating func startTag() throws(Problem) -> Token {
        guard !(open.isEmpty && hasRoot) else { throw problem("a second root element") }
        position += 1
        let name = try name()
        var attributes: [String: String] = [:]
        while true {
            let hasBlank = skipBlanks()
            if isAt("/>") || isAt(">") { break }
            guard hasBlank else { throw problem("unexpected character in <\(name)>") }
            let key = try self.name()
            skipBlanks()
            guard take("=") else { throw problem("the attribute \(key) has no value") }
            skipBlanks()
            guard attributes.updateValue(try attributeValue(key), forKey: key) == nil else {
                throw problem("the attribute \(key) occurs twice")
            }
        }
        hasPendingEnd = take("/>")
        if !hasPendingEnd { position += 1 }
        hasRoot = true
        open.append(name)
        return .start(name: name, attributes: attributes)
    }

    private mutating func endTag() throws(Problem) -> Token {
        position += 2
        let name = try name()
        skipBlanks()
        guard take(">") else { throw problem("</\(name) does not end") }
        guard open.last == name else {
            throw problem("found </\(name)>, expected \(open.last.map { "</\($0)>" } ?? "no end of an element")")
        }
        return .end(name: open.removeLast())
    }

    /// XML 1.0, section 2.3, more generous with what is not ASCII.
    private mutating func name() throws(Problem) -> String {
        let start = position
        while position < bytes.count, Self.isNameByte(bytes[position]) { position += 1 }
        guard position > start, !Self.isDigitOrMark(bytes[start]) else { throw problem("a name is missing") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    // MARK: - Text

    private mutating func attributeValue(_ name: String) throws(Problem) -> String {
        guard position < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[position]) else {
            throw problem("the value of \(name) is not quoted")
        }
        let quote = bytes[position]
        position += 1
        var value: [UInt8] = []
        while position < bytes.count, bytes[position] != quote {
            switch bytes[position] {
            case UInt8(ascii: "<"): throw problem("< in the value of \(name)")
            case UInt8(ascii: "&"): value += try reference()
            case 0x09, 0x0A, 0x0D:
                value.append(0x20)
                position += 1
            default: value.append(try character())
            }
        }
        guard position < bytes.count else { throw problem("the value of \(name) does not end") }
        position += 1
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func text() throws(Problem) -> String {
        var value: [UInt8] = []
        while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
            if bytes[position] == UInt8(ascii: "&") {
                value += try reference()
            } else {
                if isAt("]]>") { throw problem("]]> outside a CDATA section") }
                value.append(try character())
            }
        }
        return String(decoding: value, as: UTF8.self)
    }

    private mutating func section() throws(Problem) -> String {
        guard !open.isEmpty else { throw problem("text outside the root element") }
        position += 9
        var value: [UInt8] = []
        while !isAt("]]>") {
            guard position < bytes.count else { throw problem("a CDATA section does not end") }
            value.append(try character())
        }
        position += 3
        return String(decoding: value, as: UTF8.self)
    }

    /// Returns the next byte if it can be part of a character of XML 1.0 (section 2.2).
    private mutating func character() throws(Problem) -> UInt8 {
        let byte = bytes[position]
        guard byte >= 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D else { throw problem("a control character") }
        position += 1
        return byte
    }

    /// Returns the character that `&name;` or `&#number;` stands for, in UTF-8.
    private mutating func reference() throws(Problem) -> [UInt8] {
        let limit = min(position + 12, bytes.count)
        guard let end = bytes[position..<limit].firstIndex(of: UInt8(ascii: ";")) else {
            throw problem("& that begins no reference")
        }
        let name = String(decoding: bytes[(position + 1)..<end], as: UTF8.self)
        guard let scalar = Self.entities[name] ?? Self.numbered(name) else { throw problem("unknown entity &\(name);") }
        position = end + 1
        return Array(String(Character(scalar)).utf8)
    }

    private static let entities: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]

    private static func numbered(_ name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return nil }
        let isHexadecimal = name.hasPrefix("#x")
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        guard digits.first?.isHexDigit == true, let number = UInt32(digits, radix: isHexadecimal ? 16 : 10) else {
            return nil
        }
        let isAllowed = number >= 0x20 ? number != 0xFFFE && number != 0xFFFF : [0x09, 0x0A, 0x0D].contains(number)
        return isAllowed ? Unicode.Scalar(number) : nil
    }

    // MARK: - Skipping

    private mutating func skipComment() throws(Problem) {
        position += 4
        try skip(past: "--", "a comment does not end")
        guard take(">") else { throw problem("-- in a comment") }
    }

    /// Skips the XML declaration at the start of the document, or an instruction for another program.
    private mutating func skipInstruction() throws(Problem) {
        let start = position
        position += 2
        let isDeclaration = try name().lowercased() == "xml"
        guard !isDeclaration || start == 0 || (start == 3 && bytes[0] == 0xEF) else {
            throw problem("the XML declaration is not at the start")
        }
        try skip(past: "?>", "a processing instruction does not end")
    }

    private mutating func skip(past mark: String, _ reason: String) throws(Problem) {
        while !isAt(mark) {
            guard position < bytes.count else { throw problem(reason) }
            position += 1
        }
        position += mark.utf8.count
    }

    @discardableResult
    private mutating func skipBlanks() -> Bool {
        let start = position
        while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
        return position > start
    }

    private mutating func take(_ mark: String) -> Bool {
        guard isAt(mark) else { return false }
        position += mark.utf8.count
        return true
    }

    private func isAt(_ mark: String) -> Bool { bytes[position...].starts(with: mark.utf8) }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
            UInt8(ascii: ":"), 0x80...:
            true
        default: isDigitOrMark(byte)
        }
    }

    /// A byte that a name can have, but not at its start.
    private static func isDigitOrMark(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private func problem(_ reason: String) -> Problem {
        let passed = bytes.prefix(min(position, bytes.count))
        return Problem(reason: reason, line: 1 + passed.count { $0 == 0x0A })
    }
}

extension Character {
    /// True for white space as XML 1.0 has it (section 2.3).
    fileprivate var isXMLBlank: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" || self == "\r\n" }
}
