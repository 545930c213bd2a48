/// A parser of untrusted bytes, with the properties that must hold for any input.
///
/// A check traps if the parser does, or throws a finding if a property is violated; a parser may reject its input. A
/// target runs in two ways: with libFuzzer, which looks for new inputs (`Scripts/fuzz`), and in a test, which replays
/// the corpus and mutates it.
package struct FuzzTarget: Sendable {
    /// The name on the command line, and of the folder with the corpus in `Tests/Corpora`.
    package let name: String
    /// Checks one input.
    package let check: @Sendable ([UInt8]) throws(FuzzFinding) -> Void

    /// Makes a target for a parser of bytes.
    package init(_ name: String, bytes check: @escaping @Sendable ([UInt8]) throws(FuzzFinding) -> Void) {
        self.name = name
        self.check = check
    }

    /// Makes a target for a parser of text; invalid UTF-8 is repaired, as for all text input.
    package init(_ name: String, text check: @escaping @Sendable (String) throws(FuzzFinding) -> Void) {
        self.init(name) { (bytes: [UInt8]) throws(FuzzFinding) in try check(String(decoding: bytes, as: UTF8.self)) }
    }

    /// Makes a target for a parser of two texts: the first line of the input, and the rest.
    package init(_ name: String, texts check: @escaping @Sendable (String, String) throws(FuzzFinding) -> Void) {
        self.init(name) { (bytes: [UInt8]) throws(FuzzFinding) in
            let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
            try check(
                String(decoding: bytes[..<end], as: UTF8.self),
                String(decoding: bytes[end...].dropFirst(), as: UTF8.self))
        }
    }
}

/// A property that a parser has violated.
package struct FuzzFinding: Error, Hashable, CustomStringConvertible {
    /// A description of the property.
    package let description: String

    /// Makes a finding.
    package init(_ description: String) { self.description = description }
}

/// Throws a finding if a property does not hold.
func claim(_ holds: Bool, _ what: @autoclosure () -> String) throws(FuzzFinding) {
    if !holds { throw FuzzFinding(what()) }
}

/// Throws a finding if two texts differ in any byte.
///
/// `==` on strings compares by Unicode's canonical equivalence; file systems and servers compare bytes.
func claimSameBytes(_ one: String, _ other: String, _ what: String) throws(FuzzFinding) {
    try claim(one.utf8.elementsEqual(other.utf8), "\(what): \"\(one)\" and \"\(other)\"")
}
