/// A parser of foreign bytes, with what must hold of it whatever the bytes are.
///
/// A check traps (then the parser does) or throws a finding (then a promise is broken); a parser that refuses its input is neither.
/// It is driven twice: by libFuzzer, which looks for new inputs (`Scripts/fuzz`), and by a test, which replays the corpus and mutates it.
package struct FuzzTarget: Sendable {
    /// What it is called on the command line, and the folder of its corpus in `Tests/Corpora`.
    package let name: String
    /// Tries one input.
    package let check: @Sendable ([UInt8]) throws(FuzzFinding) -> Void

    /// Makes a target for a parser of bytes.
    package init(_ name: String, bytes check: @escaping @Sendable ([UInt8]) throws(FuzzFinding) -> Void) {
        self.name = name
        self.check = check
    }

    /// Makes a target for a parser of text: what is no UTF-8 is repaired, as it is wherever text comes in.
    package init(_ name: String, text check: @escaping @Sendable (String) throws(FuzzFinding) -> Void) {
        self.init(name) { (bytes: [UInt8]) throws(FuzzFinding) in try check(String(decoding: bytes, as: UTF8.self)) }
    }

    /// Makes a target for a parser of two texts: the first line of the input, and the rest of it.
    package init(_ name: String, texts check: @escaping @Sendable (String, String) throws(FuzzFinding) -> Void) {
        self.init(name) { (bytes: [UInt8]) throws(FuzzFinding) in
            let end = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
            try check(
                String(decoding: bytes[..<end], as: UTF8.self),
                String(decoding: bytes[end...].dropFirst(), as: UTF8.self))
        }
    }
}
