/// A file of another program that may be a part of the file that is wanted, as it was found.
///
/// What of it may be adopted, `adoptable` decides; that those bytes are the server's is proved afterwards (see `SourceProof`).
package struct ForeignPartial: Hashable, Sendable {
    /// Who tells which of its bytes are there.
    package enum Account: Hashable, Sendable {
        /// Nobody: it is taken for the beginning of the file.
        case prefix
        /// aria2's control file.
        case aria2([UInt8])
        /// axel's state file.
        case axel([UInt8])
        /// Both.
        case both
    }

    /// Where it stands.
    package var path: String
    /// The control file beside it, or nil.
    package var control: String?
    /// Who tells what is there.
    package var account: Account
    /// Its size.
    package var size: Int64
    /// When it was changed last, in seconds since 1970.
    package var modified: Int64

    /// Makes one.
    package init(path: String, control: String? = nil, account: Account, size: Int64, modified: Int64) {
        self.path = path
        self.control = control
        self.account = account
        self.size = size
        self.modified = modified
    }

    /// Why it is not adopted, as a clause for people.
    package struct Refusal: Error, Hashable, Sendable {
        /// The clause.
        package let reason: String

        /// Makes one.
        package init(_ reason: String) { self.reason = reason }
    }

    /// More stretches than these are not proved: of the others the bytes are fetched again.
    package static let pieceLimit = 64

    /// The stretches that may be adopted, if they prove to be the server's.
    ///
    /// - Parameters:
    ///   - total: The size of the file at the server.
    ///   - modified: When the file was changed at the server, in seconds since 1970.
    ///   - isVouchedFor: Whether a checksum decides at the end.
    ///   - takesWhole: Whether a file as long as the server's is adopted, too, although nobody says that it is not complete.
    /// - Returns: the stretches in order, none empty, all within the file and within what is there; nil if the file is as long as the
    ///   server's and nobody says that it is not complete.
    /// - Throws: `Refusal`.
    package func adoptable(
        total: Int64?, modified: Int64?, isVouchedFor: Bool, takesWhole: Bool = false
    ) throws(Refusal) -> [ByteRange]? {
        guard let total else { throw Refusal("the server does not send the size of the file") }
        guard let pieces = try pieces(total: total, takesWhole: takesWhole) else { return nil }
        // A program that has written a part of the newest version has done so after that version was made.
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
    /// Another program's control file says that the file is not complete.
    package static func unfinished(_ path: String, control: String) -> DownloadError {
        DownloadError(
            .destinationExists,
            "\(path) is the unfinished file of another program: resume it, finish it there, or move both files away",
            cause: control + Self.besideIt)
    }

    /// A file of another program can't be shown to be a part of the one that is wanted.
    package static func notAdopted(_ path: String, reason: String) -> DownloadError {
        DownloadError(
            .destinationExists,
            "\(path)\(leftAsItWas): move it away, or choose another name", cause: reason)
    }

    private static let besideIt = " is beside it"
    private static let leftAsItWas = " can't be resumed and is left unchanged"

    /// Whether it is one that `notAdopted` makes.
    package var isNotAdopted: Bool { code == .destinationExists && message.contains(Self.leftAsItWas) }

    /// Whether it is the one that `unfinished` makes.
    package var isOfUnfinished: Bool { code == .destinationExists && cause?.hasSuffix(Self.besideIt) == true }
}
