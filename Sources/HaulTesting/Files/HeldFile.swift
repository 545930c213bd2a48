import Foundation
import HaulTestData
import Synchronization

/// A file on a simulated disk: it is held open, and its synced content is known.
final class HeldFile: Sendable {
    private let handle: FileHandle?
    private let state = Mutex(State())

    private struct State {
        var durable: [UInt8] = []
        /// The minimum length since the last sync: what is beyond it was truncated, and may have been zero in between.
        var minimum = 0
    }

    /// The number of bytes that a disk writes atomically.
    private static let sectorBytes = 512

    init(path: String) { handle = FileHandle(forUpdatingAtPath: path) }

    deinit { try? handle?.close() }

    /// The content that processes see.
    var content: [UInt8] {
        try? handle?.seek(toOffset: 0)
        return (try? handle?.readToEnd()).map(Array.init) ?? []
    }

    /// Records that the current content is on the disk.
    func sync() {
        let now = content
        state.withLock { $0 = State(durable: now, minimum: now.count) }
    }

    /// Updates the minimum length.
    func noteLength() {
        let length = Int((try? handle?.seekToEnd()) ?? 0)
        state.withLock { $0.minimum = min($0.minimum, length) }
    }

    /// Writes a content that a power failure may leave.
    ///
    /// Each sector that was not synced has its new or its old content, or zeros if it was truncated in between; the
    /// length is the new or the old one.
    func settle(using generator: inout SeededGenerator) {
        let new = content
        let (old, minimum) = state.withLock { ($0.durable, $0.minimum) }
        guard Data(new) != Data(old) else { return }
        let length = Bool.random(using: &generator) ? new.count : old.count
        var left: [UInt8] = []
        left.reserveCapacity(length)
        for start in stride(from: 0, to: length, by: Self.sectorBytes) {
            let end = min(start + Self.sectorBytes, length)
            var choices = [sector(new, start, end), sector(old, start, end)]
            if end > minimum, choices[0] != choices[1] { choices.append([UInt8](repeating: 0, count: end - start)) }
            left += choices[Int.random(in: 0..<choices.count, using: &generator)]
        }
        try? handle?.truncate(atOffset: 0)
        try? handle?.seek(toOffset: 0)
        try? handle?.write(contentsOf: left)
    }

    private func sector(_ bytes: [UInt8], _ start: Int, _ end: Int) -> [UInt8] {
        let there = start < bytes.count ? Array(bytes[start..<min(end, bytes.count)]) : []
        return there + [UInt8](repeating: 0, count: end - start - there.count)
    }
}
