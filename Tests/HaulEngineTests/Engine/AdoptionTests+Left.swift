import HaulTesting

extension AdoptionTests {
    /// What another program left.
    enum Left: CaseIterable, Sendable {
        case prefix, aria2, axel, part, crdownload, download

        /// The name of the file with the bytes.
        var name: String {
            switch self {
            case .prefix, .aria2, .axel: "f"
            case .part: "f.part"
            case .crdownload: "f.crdownload"
            case .download: "f.download"
            }
        }

        /// The name of the control file.
        var control: String? {
            switch self {
            case .aria2: "f.aria2"
            case .axel: "f.st"
            case .prefix, .part, .crdownload, .download: nil
            }
        }

        /// The stretches that are there.
        var pieces: [Range<Int>] {
            switch self {
            case .prefix, .part, .crdownload, .download: [0..<5_000_000]
            case .aria2: [0..<3 << 20, 5 << 20..<7 << 20 + 32 << 10, 11 << 20..<12 << 20]
            case .axel: [0..<2_000_000, 4 << 20..<6_000_000, 8 << 20..<12_000_000]
            }
        }

        var bytesThere: Int64 { pieces.reduce(0) { $0 + Int64($1.count) } }

        /// The bytes: what is not there is zero.
        var bytes: [UInt8] {
            let all = AdoptionTests.file.allBytes
            guard control != nil else { return Array(all[pieces[0]]) }
            var bytes = [UInt8](repeating: 0, count: all.count)
            for piece in pieces { bytes.replaceSubrange(piece, with: all[piece]) }
            return bytes
        }

        /// The control file's bytes.
        var controlBytes: [UInt8] {
            switch self {
            case .aria2:
                // Twelve pieces of 1 MiB, of which 0 to 2, 5, 6 and 11 are there, and of piece 7 two blocks.
                Self.word(1, 2) + Self.word(0, 4) + Self.word(0, 4) + Self.word(1 << 20, 4) + Self.word(12 << 20, 8)
                    + Self.word(0, 8) + Self.word(2, 4) + [0b1110_0110, 0b0001_0000] + Self.word(1, 4)
                    + Self.word(7, 4) + Self.word(1 << 20, 4) + Self.word(8, 4) + [0b1100_0000, 0, 0, 0, 0, 0, 0, 0]
            case .axel:
                Self.word(3, 2).reversed() + Self.word(UInt64(bytesThere), 8).reversed()
                    + zip(pieces.map(\.upperBound), [4 << 20, 8 << 20, 12 << 20]).flatMap { next, end in
                        Self.word(UInt64(next), 8).reversed() + Self.word(UInt64(end), 8).reversed()
                    }
            case .prefix, .part, .crdownload, .download: []
            }
        }

        static func word(_ value: UInt64, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        }

        /// Puts it into a folder, changed if wanted; a browser keeps the final name with an empty file.
        func put(_ folder: TemporaryFolder, _ change: (inout [UInt8]) -> Void = { _ in }) throws {
            var bytes = bytes
            change(&bytes)
            try folder.put(bytes, name)
            if let control { try folder.put(controlBytes, control) }
            if self == .part { try folder.put([], "f") }
        }
    }
}
