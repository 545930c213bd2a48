import Haul
import HaulCore

extension Aria2RPC {
    /// Cancels a download.
    ///
    /// It remains in the list of stopped ones, and its partial file on the disk.
    func remove(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let found = try await snapshot(parameters)
        let message = "Active Download not found for GID#\(GID(of: found))"
        guard !found.state.isFinal else { throw .refused(message) }
        try await reported(else: message) { () throws(DownloadError) in try await manager.cancel(found.id) }
        return .string(GID(of: found).description)
    }

    func pause(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let found = try await snapshot(parameters)
        let message = "GID#\(GID(of: found)) cannot be paused now"
        switch Aria2State(found.state) {
        case .active, .waiting: break
        case .paused, .error, .complete, .removed: throw .refused(message)
        }
        try await reported(else: message) { () throws(DownloadError) in try await manager.pause(found.id) }
        return .string(GID(of: found).description)
    }

    func unpause(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let found = try await snapshot(parameters)
        let message = "GID#\(GID(of: found)) cannot be unpaused now"
        guard case .paused = found.state else { throw .refused(message) }
        try await reported(else: message) { () throws(DownloadError) in try await manager.resume(found.id) }
        return .string(GID(of: found).description)
    }

    func pauseAll() async throws(Aria2Failure) -> JSON {
        _ = try await reported { () throws(DownloadError) in try await manager.pause(.all) }
        return Self.done
    }

    func unpauseAll() async throws(Aria2Failure) -> JSON {
        _ = try await reported { () throws(DownloadError) in try await manager.resume(.all) }
        return Self.done
    }

    /// Removes a download from the list; its files are kept.
    func removeDownloadResult(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let found = try await snapshot(parameters)
        guard found.state.isFinal else {
            throw .refused("Could not remove download result of GID#\(GID(of: found))")
        }
        try await reported { () throws(DownloadError) in try await manager.remove(found.id, files: .none) }
        return Self.done
    }

    func purgeDownloadResult() async throws(Aria2Failure) -> JSON {
        _ = try await reported { () throws(DownloadError) in
            try await manager.remove(.state(.finished, .failed, .cancelled), files: .none)
        }
        return Self.done
    }

    func changePosition(_ parameters: Aria2Parameters) async throws(Aria2Failure) -> JSON {
        let found = try await snapshot(parameters)
        let offset = try parameters.integer(1)
        guard let how = Aria2Position(rawValue: try parameters.text(2)) else { throw .refused("Illegal argument.") }
        let waiting = try await reported { () throws(DownloadError) in
            try await manager.ids(.state(.waiting, .paused))
        }
        guard let index = waiting.firstIndex(of: found.id) else {
            throw .refused("GID#\(GID(of: found)) not found in the waiting queue.")
        }
        let target = how.index(offset, from: index, count: waiting.count)
        try await move(found.id, to: target, among: waiting)
        return .number(String(target))
    }

    /// Moves a download among the waiting ones; all others in the list keep their order.
    func move(_ id: DownloadID, to target: Int, among waiting: [DownloadID]) async throws(Aria2Failure) {
        let others = waiting.filter { $0 != id }
        guard !others.isEmpty, waiting.firstIndex(of: id) != target else { return }
        try await reported { () throws(DownloadError) in
            let all = try await manager.ids(.all).filter { $0 != id }
            let neighbour = target < others.count ? others[target] : others[others.count - 1]
            guard let place = all.firstIndex(of: neighbour) else { return }
            try await manager.move(id, to: target < others.count ? place : place + 1)
        }
    }
}

/// The base of a new position in the queue.
package enum Aria2Position: String, Hashable, Sendable, CaseIterable {
    case start = "POS_SET"
    case current = "POS_CUR"
    case end = "POS_END"

    /// Returns the resulting index, which is never beyond the queue.
    ///
    /// - Parameters:
    ///   - offset: Any number at all.
    ///   - index: The current index.
    ///   - count: The number of waiting downloads.
    package func index(_ offset: Int64, from index: Int, count: Int) -> Int {
        let last = max(0, count - 1)
        let base =
            switch self {
            case .start: 0
            case .current: index
            case .end: last
            }
        let (sum, overflow) = Int64(base).addingReportingOverflow(offset)
        guard !overflow else { return offset > 0 ? last : 0 }
        return Int(min(max(0, sum), Int64(last)))
    }
}
