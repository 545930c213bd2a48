import Foundation
import HaulCore
import HaulTesting
import Synchronization

/// What the server of a sequence serves: each slot has a file in three versions, reached by two URLs, and another file.
final class ModelSite: Sendable {
    /// One file with its bytes, made once for all sequences.
    struct Version: Sendable {
        let resource: Resource
        /// As data, which is compared fast in a debug build, too.
        let bytes: Data

        init(seed: UInt64, size: Int64, etag: Bool) {
            let file = Resource.file(seed: seed, size: size).lastModified("Wed, 0\(1 + seed % 7) Jan 2025 12:00:00 GMT")
            resource = etag ? file : file.etag(nil)
            bytes = Data(resource.allBytes)
        }
    }

    /// By slot: versions of one file.
    ///
    /// Some change their size, and one slot has no ETag.
    static let versions: [[Version]] = [100_000, 250_000, 400_000, 900_000, 2_000_000].enumerated().map { slot, size in
        (0..<3).map { version in
            let other = version == 2 ? Int64(size) - 10_001 : Int64(size)
            return Version(seed: UInt64(slot * 10 + version + 1), size: other, etag: slot != 1)
        }
    }
    /// By slot: another file.
    static let others: [Version] = versions.enumerated().map { slot, versions in
        Version(seed: UInt64(slot * 10 + 9), size: versions[0].resource.size, etag: slot != 1)
    }

    private struct State {
        var version = [Int](repeating: 0, count: ModelStep.slots)
    }

    let server: FaultServer
    private let state = Mutex(State())

    init(_ server: FaultServer) { self.server = server }

    /// What is served at first.
    static var resources: [String: Resource] {
        var result: [String: Resource] = [:]
        for slot in 0..<ModelStep.slots {
            result[path(slot, .original)] = versions[slot][0].resource
            result[path(slot, .same)] = versions[slot][0].resource
            result[path(slot, .other)] = others[slot].resource
        }
        return result
    }

    static func path(_ slot: Int, _ source: ModelSource) -> String { "/\(source)/f\(slot)" }

    /// Whether a file with these bytes was ever served as a whole for a slot.
    static func served(_ bytes: Data, _ slot: Int) -> Bool {
        versions[slot].contains { $0.bytes == bytes } || others[slot].bytes == bytes
    }

    /// Breaks something about both URLs of a slot.
    func fault(_ slot: Int, _ fault: ModelFault) {
        if fault == .changed { state.withLock { $0.version[slot] = ($0.version[slot] + 1) % 3 } }
        let version = state.withLock { $0.version[slot] }
        let file = Self.versions[slot][version].resource
        func times(_ script: ServerScript) -> Resource {
            let limited = Countdown(2)
            return file.script { _ in limited.takes() ? script : .normal }
        }
        let broken: Resource =
            switch fault {
            case .cut(let count): times(.cut(after: count))
            case .reset(let count): times(.reset(after: count))
            case .status(let code): times(.status(code))
            case .noRanges: file.withoutRanges()
            case .changed: file
            case .slow(let rate): times(.throttle(rate))
            case .shorter(let count): times(.bodyShorter(by: count))
            }
        set(slot, broken)
    }

    /// Has a slot served right again, in the version of now.
    func heal(_ slot: Int) {
        let version = state.withLock { $0.version[slot] }
        set(slot, Self.versions[slot][version].resource)
    }

    private func set(_ slot: Int, _ resource: Resource) {
        server.set(Self.path(slot, .original), resource)
        server.set(Self.path(slot, .same), resource)
    }
}

/// A number of times that something happens.
final class Countdown: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    /// Whether it happens once more.
    func takes() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).oldValue > 0 }
}
