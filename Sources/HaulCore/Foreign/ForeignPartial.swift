/// A file of another program that may be a partial file of the wanted one.
///
/// `adoptable` determines the bytes that may be adopted; they are compared with the server's afterwards (see
/// `SourceProof`).
package struct ForeignPartial: Hashable, Sendable {
    /// The source of information about the complete bytes.
    package enum Account: Hashable, Sendable {
        /// There is none: the file is taken for the start of the wanted one.
        case prefix
        /// The content of aria2's control file.
        case aria2([UInt8])
        /// The content of axel's state file.
        case axel([UInt8])
        /// Both control files exist.
        case both

        /// True if it is one control file that can be read.
        package var isReadable: Bool {
            switch self {
            case .aria2(let bytes): Aria2ControlFile(decoding: bytes) != nil
            case .axel(let bytes): AxelStateFile(decoding: bytes) != nil
            case .prefix, .both: false
            }
        }
    }

    /// The path of the file.
    package var path: String
    /// The path of the control file beside it, or nil.
    package var control: String?
    /// The source of information about the complete bytes.
    package var account: Account
    /// The size in bytes.
    package var size: Int64
    /// The modification time in seconds since 1970.
    package var modified: Int64

    /// Creates a value.
    package init(path: String, control: String? = nil, account: Account, size: Int64, modified: Int64) {
        self.path = path
        self.control = control
        self.account = account
        self.size = size
        self.modified = modified
    }

    /// The reason for not adopting it, as a clause for error messages.
    package struct Refusal: Error, Hashable, Sendable {
        /// The clause.
        package let reason: String

        /// Creates a refusal.
        package init(_ reason: String) { self.reason = reason }
    }

    /// The maximum number of ranges that are compared; the bytes of others are fetched again.
    package static let pieceLimit = 64

    /// Returns the ranges that may be adopted if they are the same on the server.
    ///
    /// - Parameters:
    ///   - total: The size of the file on the server; nil if unknown.
    ///   - modified: The modification time on the server, in seconds since 1970; nil if unknown.
    ///   - isVouchedFor: True if a checksum is verified at the end.
    ///   - takesWhole: True if a file of the server's size is adopted, too, although it is not known to be incomplete.
    /// - Returns: Sorted, nonempty ranges within the file and within its current size; none if a control file says that
    ///   nothing is complete; nil if the file has the server's size and is not known to be incomplete.
    /// - Throws: `Refusal`.
    package func adoptable(
        total: Int64?, modified: Int64?, isVouchedFor: Bool, takesWhole: Bool = false
    ) throws(Refusal) -> [ByteRange]? {
        guard let total else { throw Refusal("the server does not send the size of the file") }
        guard let pieces = try pieces(total: total, takesWhole: takesWhole) else { return nil }
        if pieces.isEmpty { return [] }
        // A partial file of the current version must be newer than that version.
        if let modified, modified > self.modified, !isVouchedFor {
            throw Refusal("the file on the server is newer")
        }
        let there = pieces.map { ByteRange(from: $0.lowerBound, to: min($0.upperBound, size)) }.filter { !$0.isEmpty }
        guard !there.isEmpty else { throw Refusal("no part of it is complete") }
        let largest = there.sorted { ($1.count, $0.lowerBound) < ($0.count, $1.lowerBound) }.prefix(Self.pieceLimit)
        return largest.sorted { $0.lowerBound < $1.lowerBound }
    }

    private func pieces(total: Int64, takesWhole: Bool) throws(Refusal) -> [ByteRange]? {
        guard size <= total else {
            throw Refusal("it has \(size) bytes, the file on the server has only \(total)")
        }
        switch account {
        case .prefix: return size < total || takesWhole ? [ByteRange(from: 0, to: size)] : nil
        case .aria2(let bytes):
            guard let file = Aria2ControlFile(decoding: bytes) else { throw unreadable }
            return try pieces(file.pieces, of: file.total, total: total)
        case .axel(let bytes):
            guard let file = AxelStateFile(decoding: bytes) else { throw unreadable }
            return try pieces(file.pieces, of: file.total, total: total)
        case .both: throw Refusal("it has control files of both aria2 and axel")
        }
    }

    private func pieces(_ pieces: [ByteRange], of noted: Int64, total: Int64) throws(Refusal) -> [ByteRange] {
        guard noted == total else {
            throw Refusal("it is part of a file of \(noted) bytes, the file on the server has \(total)")
        }
        return pieces
    }

    private var unreadable: Refusal { Refusal("\(control ?? "its control file") can't be read") }
}

extension DownloadError {
    /// Returns the error for a file that another program's control file marks as unfinished.
    package static func unfinished(_ path: String, control: String) -> DownloadError {
        DownloadError(
            .destinationExists,
            "\(path) is the unfinished file of another program: resume it, finish it there, or move both files away",
            cause: control + Self.besideIt)
    }

    /// Returns the error for a file of another program that cannot be shown to be a partial file of the wanted one.
    package static func notAdopted(_ path: String, reason: String) -> DownloadError {
        DownloadError(
            .destinationExists,
            "\(path)\(leftAsItWas): move it away, or choose another name", cause: reason)
    }

    private static let besideIt = " is beside it"
    private static let leftAsItWas = " can't be resumed and is left unchanged"

    /// True if the error was made by `notAdopted`.
    package var isNotAdopted: Bool { code == .destinationExists && message.contains(Self.leftAsItWas) }

    /// True if the error was made by `unfinished`.
    package var isOfUnfinished: Bool { code == .destinationExists && cause?.hasSuffix(Self.besideIt) == true }
}
