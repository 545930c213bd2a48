/// Endless content that looks random, any part of which can be made directly.
///
/// The same seed gives the same bytes. A file of 5 GiB needs no memory: ask for the range needed. Two positions of one
/// content differ, and so do two contents at one position, so a byte in the wrong position is always noticed.
///
/// The content is made by copying a table of random bytes page by page, each page from another position in the table,
/// and adding the page's number. Copying is fast even in a debug build.
package struct TestBytes: Sendable {
    /// The seed of the content.
    package let seed: UInt64
    private let table: [UInt8]

    private static let page: Int64 = 4096
    private static let tableSize = 64 * 1024

    /// Prepares the content of a seed.
    package init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        var table: [UInt8] = []
        table.reserveCapacity(Self.tableSize)
        while table.count < Self.tableSize {
            Self.append(random.next(), to: &table)
        }
        self.table = table
    }

    /// Returns the bytes of a range of offsets; negative offsets are left out.
    package func bytes(_ range: Range<Int64>) -> [UInt8] {
        let range = range.clamped(to: 0..<Int64.max)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let number = offset / Self.page
            let start = Int(offset % Self.page)
            let count = Int(min(Self.page - Int64(start), range.upperBound - offset))
            append(page: number, from: start, count: count, to: &bytes)
            offset += Int64(count)
        }
        return bytes
    }

    /// Returns the bytes of a range of the content of a seed.
    ///
    /// Keep a `TestBytes` for repeated use.
    package static func bytes(seed: UInt64, range: Range<Int64>) -> [UInt8] {
        TestBytes(seed: seed).bytes(range)
    }

    private func append(page number: Int64, from start: Int, count: Int, to bytes: inout [UInt8]) {
        let hash = SeededGenerator.mix(seed ^ UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15)
        let place = Int(hash % UInt64(Self.tableSize - Int(Self.page)))
        let first = bytes.count
        bytes.append(contentsOf: table[(place + start)..<(place + start + count)])
        for index in start..<max(start, min(8, start + count)) {
            bytes[first + index - start] = UInt8(truncatingIfNeeded: hash >> UInt64(index * 8))
        }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
