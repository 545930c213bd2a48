import Foundation
import HaulCore
import HaulFiles
import HaulTestData
import HaulTesting

/// A whole download without a network: what the engine does with a partial, in the smallest form.
struct Session {
    let folder: TemporaryFolder
    var name = "file.bin"
    var version: UInt8 = 1
    var policy: ConflictPolicy = .replace
    var resumes = true

    /// Three segments of several pages, not a multiple of anything.
    static let total = Int64(3 * 88 * 1024 + 5)

    /// The bytes of a version.
    static func content(_ version: UInt8) -> [UInt8] { contents[Int(version)] }

    private static let contents = (0...3 as ClosedRange<UInt8>).map(make)

    /// No sector is like another one, and none is like that of another version; no byte is zero.
    private static func make(_ version: UInt8) -> [UInt8] {
        var generator = SeededGenerator(seed: UInt64(version))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(total) + 8)
        while bytes.count < total {
            let word = generator.next() | 0x0101_0101_0101_0101
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return Array(bytes.prefix(Int(total)))
    }

    var etag: String { "\"v\(version)\"" }

    func open(_ system: SystemCalls) throws(DownloadError) -> PartialFile {
        try PartialFile.open(finalPath: folder.path(name), sourceID: "source", resumes: resumes, system: system)
    }

    /// Starts over, or goes on where the version is the same; four segments, of which the last is taken from the third
    /// on the way.
    func download(_ system: SystemCalls, checkpoints: Bool = true) throws -> String {
        let partial = try open(system)
        defer { partial.close() }
        let slots = try start(partial)
        try fill(partial, slots, checkpoints: checkpoints)
        return try partial.publish(policy: policy, modified: 1_000_000, total: Self.total) {
            folder.path("file (\($0)).bin")
        }
    }

    func start(_ partial: PartialFile) throws(DownloadError) -> [SegmentSlot] {
        if case .resumable(let state) = partial.found, state.etag == etag, state.totalBytes == Self.total {
            return try partial.resume(total: Self.total, etag: etag, lastModified: nil, segments: state.segments)
        }
        let third = Self.total / 3
        return try partial.begin(total: Self.total, etag: etag, lastModified: nil, segments: [0, third, 2 * third])
    }

    /// Writes all that is missing, in turns, 32 KiB at a time.
    func fill(_ partial: PartialFile, _ first: [SegmentSlot], checkpoints: Bool = true, limit: Int = .max) throws {
        let content = Self.content(version)
        var slots = first.sorted { $0.start < $1.start }
        var position = slots.map(\.written)
        var turn = 0
        while turn < limit {
            let end = slots.indices.map { $0 + 1 < slots.count ? slots[$0 + 1].start : Self.total }
            let open = slots.indices.filter { position[$0] < end[$0] }
            guard let index = open.isEmpty ? nil : open[turn % open.count] else { return }
            let next = min(position[index] + 32 * 1024, end[index])
            let piece = Array(content[Int(position[index])..<Int(next)])
            try partial.write(piece, at: position[index])
            position[index] = next
            try partial.record(slot: slots[index], written: next)
            turn += 1
            if turn == 3, slots.count == 3, let last = slots.last, last.written + 65_536 < Self.total {
                slots.append(partial.addSegment(start: last.written + 65_536))
                position.append(last.written + 65_536)
            }
            if checkpoints, turn % 4 == 0 { try partial.checkpoint() }
        }
    }

    /// Makes the journal that of a process that was killed during a sync.
    func markAsSyncing() throws {
        var journal = try Journal(decoding: folder.bytes(name + ".part.haul") ?? [])
        journal.header.isSyncing = true
        try folder.put(journal.encoded(), name + ".part.haul")
    }

    /// Whether the finished file is a version, whole.
    func isFinished(_ version: UInt8 = 1) -> Bool {
        folder.bytes(name).map { Data($0) == Data(Self.content(version)) } ?? false
    }

    /// How many bytes of a state are not those of the version.
    func wrongBytes(_ state: PartialState) -> Int {
        // Most often all is right, and comparing memory is quick.
        let content = Self.content(version)
        let there = folder.bytes(name + ".part") ?? []
        let isRight = state.segments.allSatisfy { segment in
            let range = Int(segment.start)..<Int(segment.position)
            return range.upperBound <= there.count && Data(there[range]) == Data(content[range])
        }
        if isRight { return 0 }
        return state.segments.reduce(0) { sum, segment in
            sum
                + (segment.start..<segment.position).count {
                    Int($0) >= there.count || there[Int($0)] != content[Int($0)]
                }
        }
    }
}
