import HaulCore

/// The header's layout in the file, with little-endian numbers:
///
///     0 magic   8 version, flags   16 nonce   24 total   32 inode   40 birth seconds   48 birth nanoseconds   56 mount
///     64 four lengths of two bytes   72 source, boot, ETag, Last-Modified   4088 check value
///
/// With flags, the mirror that described the file and the place of the describer follow, each with its length before it.
///
/// While the data is synced, all bits of the check value are inverted: that is one write of eight bytes, which a disk carries out
/// completely or not at all.
extension JournalHeader {
    /// The size of the header in bytes: one disk block.
    package static let byteCount = 4096
    /// The format version that is written.
    package static let version: UInt32 = 1

    private static let magic = Array("HAULPART".utf8)
    private static let textStart = 72
    /// The offset of the check value.
    static let checkStart = byteCount - 8

    private struct Flags: OptionSet {
        let rawValue: UInt32
        static let total = Flags(rawValue: 1)
        static let etag = Flags(rawValue: 2)
        static let lastModified = Flags(rawValue: 4)
        static let compared = Flags(rawValue: 16)
        static let unproven = Flags(rawValue: 32)
        static let mirror = Flags(rawValue: 64)
        static let place = Flags(rawValue: 128)
    }

    /// Returns true if these may be the first bytes of a journal, even of a truncated one.
    static func mayBegin(_ bytes: [UInt8]) -> Bool { Self.magic.starts(with: bytes.prefix(Self.magic.count)) }

    /// The header as bytes.
    ///
    /// A validator that does not fit is left out, and the bytes then count as unproven; a source that does not fit (a defect of the caller) is
    /// left out, too, and the journal then matches no source.
    package func encoded() -> [UInt8] {
        var flags: Flags = []
        var room = Self.checkStart - Self.textStart
        func take(_ text: String?) -> [UInt8]? {
            guard let text, text.utf8.count <= room else { return nil }
            room -= text.utf8.count
            return Array(text.utf8)
        }
        func takeWithLength(_ text: String) -> [UInt8] {
            room -= 2
            return take(text) ?? []
        }
        let (mirror, place) = (describer.mirror.map(takeWithLength), describer.place.map(takeWithLength))
        let source = take(sourceID) ?? []
        let boot = take(bootID) ?? []
        let etagBytes = take(etag)
        let modifiedBytes = take(lastModified)
        switch provenance {
        case .oneSource: break
        case .compared: flags.insert(.compared)
        case .unproven: flags.insert(.unproven)
        }
        if totalBytes != nil { flags.insert(.total) }
        if mirror != nil { flags.insert(.mirror) }
        if place != nil { flags.insert(.place) }
        if etagBytes != nil { flags.insert(.etag) }
        if modifiedBytes != nil { flags.insert(.lastModified) }
        if (etag != nil && etagBytes == nil) || (lastModified != nil && modifiedBytes == nil) {
            flags.insert(.unproven)
        }

        var bytes = Self.magic
        bytes.append(UInt64(flags.rawValue) << 32 | UInt64(Self.version))
        bytes.append(nonce)
        bytes.append(UInt64(bitPattern: totalBytes ?? -1))
        bytes.append(partial.inode)
        bytes.append(UInt64(bitPattern: partial.birthSeconds))
        bytes.append(UInt64(partial.birthNanoseconds))
        bytes.append(mountID)
        let texts = [source, boot, etagBytes ?? [], modifiedBytes ?? []]
        for text in texts { bytes.append(lengthOf: text) }
        for text in texts { bytes += text }
        for text in [mirror, place].compactMap(\.self) {
            bytes.append(lengthOf: text)
            bytes += text
        }
        bytes += repeatElement(0, count: Self.checkStart - bytes.count)
        let check = Self.check(bytes)
        bytes.append(isSyncing ? ~check : check)
        return bytes
    }

    /// Decodes a header at the start of any bytes.
    package init(decoding bytes: [UInt8]) throws(JournalFault) {
        guard Self.mayBegin(bytes) else { throw .foreign }
        guard bytes.count >= Self.byteCount else { throw .cut }
        let version = UInt32(truncatingIfNeeded: bytes.word(at: 8))
        guard version == Self.version else { throw .version(version) }
        let check = Self.check(bytes)
        let found = bytes.word(at: Self.checkStart)
        guard found == check || found == ~check else { throw .garbled }

        let flags = Flags(rawValue: UInt32(truncatingIfNeeded: bytes.word(at: 8) >> 32))
        let total = Int64(bitPattern: bytes.word(at: 24))
        guard flags.contains(.total) == (total >= 0), let birth = UInt32(exactly: bytes.word(at: 48)) else {
            throw .garbled
        }
        var reader = TextReader(bytes: bytes, lengths: 64, position: Self.textStart, end: Self.checkStart)
        guard let source = reader.next(), let boot = reader.next(), let etag = reader.next(),
            let modified = reader.next()
        else { throw .garbled }
        let mirror = flags.contains(.mirror) ? reader.nextWithLength() : nil
        let place = flags.contains(.place) ? reader.nextWithLength() : nil
        guard flags.contains(.mirror) == (mirror != nil), flags.contains(.place) == (place != nil) else {
            throw .garbled
        }
        self.init(
            nonce: bytes.word(at: 16), sourceID: source, totalBytes: flags.contains(.total) ? total : nil,
            etag: flags.contains(.etag) ? etag : nil,
            lastModified: flags.contains(.lastModified) ? modified : nil,
            bootID: boot, mountID: bytes.word(at: 56),
            partial: InodeIdentity(
                inode: bytes.word(at: 32), birthSeconds: Int64(bitPattern: bytes.word(at: 40)), birthNanoseconds: birth)
        )
        describer = JournalDescriber(mirror: mirror, place: place)
        provenance = flags.contains(.unproven) ? .unproven : flags.contains(.compared) ? .compared : .oneSource
        isSyncing = found != check
    }

    private static func check(_ bytes: [UInt8]) -> UInt64 {
        var check = CheckValue(seed: 0)
        for start in stride(from: 0, to: checkStart, by: 8) { check.add(bytes.word(at: start)) }
        return check.value
    }
}

/// Reads consecutive texts whose lengths are in a table.
private struct TextReader {
    let bytes: [UInt8]
    var lengths: Int
    var position: Int
    let end: Int

    /// Returns the next text, or nil if it extends beyond the end or is not UTF-8.
    mutating func next() -> String? {
        let count = Int(bytes[lengths]) | Int(bytes[lengths + 1]) << 8
        guard position + count <= end else { return nil }
        defer {
            lengths += 2
            position += count
        }
        return String(validating: bytes[position..<position + count], as: UTF8.self)
    }

    /// Returns the next text, whose length is before it; nil in the same cases.
    mutating func nextWithLength() -> String? {
        guard position + 2 <= end else { return nil }
        lengths = position
        position += 2
        return next()
    }
}

extension [UInt8] {
    /// Appends the length of a text in two bytes.
    fileprivate mutating func append(lengthOf text: [UInt8]) {
        self += [UInt8(truncatingIfNeeded: text.count), UInt8(truncatingIfNeeded: text.count >> 8)]
    }

    /// Appends eight bytes in little-endian order.
    mutating func append(_ word: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
    }

    /// Returns eight bytes at a valid offset as a little-endian number.
    func word(at offset: Int) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(self[offset + index]) << UInt64(8 * index) }
        return word
    }
}
