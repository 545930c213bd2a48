import HaulCore
import HaulFiles
import Synchronization

/// The content of a run whose bytes go to a receiver: there is no file, no journal, and nothing to resume.
final class StreamContent: ContentStore {
    private let window: StreamWindow
    private let url: SourceURL
    private let post: @Sendable (MachineEvent) -> Void
    /// The name of the file from the server, or else from the URL.
    private let name = Mutex("")

    /// Creates the content for a window; `post` receives the number of bytes that the receiver has consumed.
    init(_ window: StreamWindow, url: SourceURL, post: @escaping @Sendable (MachineEvent) -> Void) {
        self.window = window
        self.url = url
        self.post = post
        window.report { post(.consumed($0)) }
    }

    var partialIdentity: FileIdentity? { nil }
    var finished: FileStatus? { nil }
    var comparison: SegmentWriter.Target? { nil }

    func target(segment: Int, start: Int64) -> SegmentWriter.Target? { .window(window) }

    func rest(from start: Int64) -> SegmentWriter.Target? { nil }

    func holds(_ bytes: RawSpan, at offset: Int64) -> Bool { window.holds(bytes, at: offset) }

    func keepSurplus(_ bytes: RawSpan, at offset: Int64) { window.keepSurplus(bytes, at: offset) }

    func update(_ effect: DigestEffect) {
        switch effect {
        // Each tick also reports amounts that were too small to be reported at once.
        case .contiguousPrefix: post(.consumed(window.released))
        // The algorithm is fixed when the window is created.
        case .algorithm: return
        }
    }

    /// Returns nil: the only wait is for the receiver, and it blocks no thread.
    func performIfQuick(_ effect: ContentEffect) -> MachineEvent? { nil }

    func stop() { window.end() }

    func didFail(_ error: DownloadError) {}

    func perform(_ effect: ContentEffect) async -> MachineEvent {
        switch effect {
        case .locate: return .located(.unnamed)
        case .leave(let error): return .fileFailed(error)
        case .prepare(let facts), .prepareAgain(let facts):
            do throws(DownloadError) {
                try window.begin(total: facts.total)
            } catch {
                return .fileFailed(error)
            }
            let name = FileName.suggested(contentDisposition: facts.contentDisposition, url: url)
            self.name.withLock { $0 = name }
            return .prepared(.fresh(path: name))
        case .resume, .revert: return .reopened
        case .checkpoint: return .checkpointed
        case .distrust: return .distrusted
        case .checkPieces: return .piecesChecked(bad: [])
        case .verify(let total):
            let (isWhole, hex) = await window.drain(total)
            return isWhole
                ? .verified(hex: hex, joinsDiffer: window.disagrees)
                : .fileFailed(DownloadError(.cancelled, "the reader closed the stream"))
        case .publish: return .published(path: name.withLock { $0 })
        case .save, .discard: return .closed
        }
    }
}
