/// An option of aria2: its name, valid values, default, and the scopes in which it may be given.
package struct Aria2Option: Hashable, Sendable {
    /// The name, without dashes.
    package let name: String
    /// The letter of the option on the command line.
    package let letter: Character?
    /// The type of its value.
    package let kind: Kind
    /// The default; nil if there is none.
    package let standard: String?
    /// The scopes in which it may be given.
    package let scope: Scope
    /// The reason why any value except the default and `accepted` is rejected; nil if it is not.
    package let refusal: String?
    /// Further values that are accepted although there is a `refusal`.
    package let accepted: [String]

    /// Creates an option.
    init(
        _ name: String, _ kind: Kind, _ standard: String? = nil, _ scope: Scope, letter: Character? = nil,
        refused refusal: String? = nil, except accepted: [String] = []
    ) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.scope = scope
        self.letter = letter
        self.refusal = refusal
        self.accepted = accepted
    }

    /// True if the option is accepted and has no effect: it belongs to BitTorrent, or concerns how aria2 downloads, not
    /// the result.
    package var isIdle: Bool { refusal == nil && !scope.contains(.heeded) }

    /// The type of an option's value.
    package enum Kind: Hashable, Sendable {
        /// `true` or `false`; without a value it means `true`.
        case flag
        /// An integer in a range.
        case number(ClosedRange<Int64>)
        /// A number of bytes in a range, which may end in `K` or `M`.
        case size(ClosedRange<Int64>)
        /// A non-negative number with or without a fraction.
        case fraction
        /// One of these words.
        case choice([String])
        /// Any text in one line.
        case text
        /// Any text in one line; the option may be repeated.
        case list
        /// A path.
        case path
        /// A checksum in the form `TYPE=DIGEST`.
        case checksum
        /// 16 hexadecimal digits.
        case gid
        /// A proxy, or nothing.
        case proxy
        /// Numbers from 1 and ranges of them, such as `1-3,5`.
        case indices
    }

    /// The scopes in which an option may be given.
    package struct Scope: OptionSet, Hashable, Sendable {
        /// The bits.
        package let rawValue: Int
        /// Creates a set of bits.
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// With a download: when it is added, in an input file, on the command line for all.
        package static let download = Scope(rawValue: 1)
        /// By `aria2.changeOption`.
        package static let change = Scope(rawValue: 2)
        /// By `aria2.changeGlobalOption`.
        package static let global = Scope(rawValue: 4)
        /// Its value is a secret, and never reported.
        package static let secret = Scope(rawValue: 8)
        /// It is implemented.
        package static let heeded = Scope(rawValue: 16)
    }
}

extension Aria2Option.Scope {
    /// With a download, later, and for all.
    static let all: Self = [.download, .change, .global]
    /// With a download and later, but only for one.
    static let one: Self = [.download, .change]
    /// Only when the program starts.
    static let start: Self = []
}
