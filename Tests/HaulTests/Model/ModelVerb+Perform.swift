import Haul
import HaulCore

extension ModelVerb {
    /// Gives the command to one download.
    func perform(_ id: DownloadID, _ manager: DownloadManager, _ url: (ModelSource) -> String) async throws {
        switch self {
        case .pause: try await manager.pause(id)
        case .resume: try await manager.resume(id)
        case .cancel(let keep): try await manager.cancel(id, keepPartial: keep)
        case .remove(let files): try await manager.remove(id, files: files)
        case .retry(let fromStart): try await manager.retry(id, fromStart: fromStart)
        case .replaceSource(let source): try await manager.replaceSource(id, url: url(source))
        case .move(let index): try await manager.move(id, to: index)
        case .startNow: try await manager.startNow(id)
        case .priority(let priority): try await manager.set(id, priority: priority)
        }
    }

    /// Gives the command to many, where that can be.
    func perform(_ filter: DownloadFilter, _ manager: DownloadManager) async throws {
        switch self {
        case .pause: try await manager.pause(filter)
        case .resume: try await manager.resume(filter)
        case .cancel(let keep): try await manager.cancel(filter, keepPartial: keep)
        case .remove(let files): try await manager.remove(filter, files: files)
        case .retry(let fromStart): try await manager.retry(filter, fromStart: fromStart)
        case .replaceSource, .move, .startNow, .priority: break
        }
    }
}

extension ModelScope {
    /// Whose downloads are meant.
    var filter: DownloadFilter {
        switch self {
        case .all: .all
        case .even: .group("even")
        case .odd: .group("odd")
        }
    }
}
