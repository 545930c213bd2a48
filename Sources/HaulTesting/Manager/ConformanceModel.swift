import Haul
import HaulCore
import Synchronization

/// A model that records the events it receives.
final class ConformanceModel: Downloadable {
    let downloadSpec: DownloadSpec
    private let received = Mutex<[String]>([])

    init(downloadSpec: DownloadSpec) { self.downloadSpec = downloadSpec }

    /// The events received, without progress.
    var kinds: [String] { received.withLock { $0 } }

    func downloadDidChange(_ event: DownloadEvent) {
        guard event.kind.isNumbered else { return }
        received.withLock { $0.append(event.kind.conformanceName) }
    }
}

extension DownloadEvent.Kind {
    /// The name of the case.
    var conformanceName: String {
        let text = "\(self)"
        return String(text.prefix { $0 != "(" })
    }
}
