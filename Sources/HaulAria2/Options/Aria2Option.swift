/// One of aria2's options: its name, what may be its value, what counts where it is not given, and where it may be given.
package struct Aria2Option: Hashable, Sendable {
    /// The name, without dashes.
    package let name: String
    /// The letter that stands for it on the command line.
    package let letter: Character?
    /// What may be its value.
    package let kind: Kind
    /// What counts where it is not given; nil: nothing.
    package let standard: String?
    /// Where it may be given.
    package let scope: Scope
    /// Why another value than the standard is refused; nil: it is not.
    package let refusal: String?

    /// Makes an option.
    init(
        _ name: String, _ kind: Kind, _ standard: String? = nil, _ scope: Scope, letter: Character? = nil,
        refused refusal: String? = nil
    ) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.scope = scope
        self.letter = letter
        self.refusal = refusal
    }

    /// Whether it is accepted and changes nothing: it is BitTorrent's, or about how aria2 works inside.
    package var isIdle: Bool { refusal == nil && !scope.contains(.heeded) }

    /// What may be the value of an option.
    package enum Kind: Hashable, Sendable {
        /// `true` or `false`; alone it means `true`.
        case flag
        /// A whole number of a range.
        case number(ClosedRange<Int64>)
        /// An amount of bytes of a range, which may end in `K` or `M`.
        case size(ClosedRange<Int64>)
        /// A number with or without a fraction, not negative.
        case fraction
        /// One of these.
        case choice([String])
        /// Anything on one line.
        case text
        /// Anything on one line, and as often as wanted.
        case list
        /// A path.
        case path
        /// A `TYPE=DIGEST`.
        case checksum
        /// 16 hexadecimal digits.
        case gid
        /// A proxy, or nothing.
        case proxy
        /// Numbers from 1 and ranges of them, such as `1-3,5`.
        case indices
    }

    /// Where an option may be given.
    package struct Scope: OptionSet, Hashable, Sendable {
        /// The bits.
        package let rawValue: Int
        /// Makes a set of bits.
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// With a download: when it is added, in an input file, on the command line for all.
        package static let download = Scope(rawValue: 1)
        /// By `aria2.changeOption`.
        package static let change = Scope(rawValue: 2)
        /// By `aria2.changeGlobalOption`.
        package static let global = Scope(rawValue: 4)
        /// Its value is a secret, and never told.
        package static let secret = Scope(rawValue: 8)
        /// It has its effect.
        package static let heeded = Scope(rawValue: 16)
    }
}

extension Aria2Option.Scope {
    /// With a download, later, and for all.
    static let all: Self = [.download, .change, .global]
    /// With a download and later, for one alone.
    static let one: Self = [.download, .change]
    /// When the program starts, and never later.
    static let start: Self = []
}
