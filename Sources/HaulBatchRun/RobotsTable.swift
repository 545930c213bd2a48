import HaulBatch
import HaulCore
import HaulEngine
import Synchronization

/// The `robots.txt` of the origins of a run; each is fetched once.
final class RobotsTable: Sendable {
    private enum Entry {
        case loading([CheckedContinuation<RobotsText, Never>])
        case ready(RobotsText)
    }

    /// Above this number, what is known is forgotten.
    private static let maxOrigins = 10_000

    private let engine: DownloadEngine
    private let template: DownloadSpec
    private let agent: String
    private let entries = Mutex<[URLOrigin: Entry]>([:])
    /// The failure of the process that says nothing about an origin.
    private let failure = Mutex<DownloadError?>(nil)

    init(_ engine: DownloadEngine, _ template: DownloadSpec, agent: String) {
        (self.engine, self.template, self.agent) = (engine, template, agent)
    }

    /// Returns the reason why a URL must not be fetched; nil if it may.
    ///
    /// - Throws: `DownloadError` if no more files can be opened.
    func refusal(of url: SourceURL) async throws(DownloadError) -> (state: RowState, reason: RowRefusal)? {
        let text = await text(for: url)
        if let failure = failure.withLock({ $0 }) { throw failure }
        guard text != .unreachable else {
            return (.failed, RowRefusal("robotsText", "robots.txt of \(url.host) can't be read"))
        }
        guard !text.allows(url.path + (url.query.map { "?" + $0 } ?? "")) else { return nil }
        return (.refused, RowRefusal("robotsText", "robots.txt of \(url.host) disallows it"))
    }

    private func text(for url: SourceURL) async -> RobotsText {
        let (known, isFirst) = entries.withLock { entries -> (RobotsText?, Bool) in
            switch entries[url.origin] {
            case .ready(let text)?: return (text, false)
            case .loading?: return (nil, false)
            case nil:
                if entries.count >= Self.maxOrigins {
                    entries = entries.filter { if case .loading = $0.value { true } else { false } }
                }
                entries[url.origin] = .loading([])
                return (nil, true)
            }
        }
        if let known { return known }
        guard isFirst else { return await wait(for: url.origin) }
        let text = await fetch(url)
        let waiting = entries.withLock { entries -> [CheckedContinuation<RobotsText, Never>] in
            defer { entries[url.origin] = .ready(text) }
            if case .loading(let waiting)? = entries[url.origin] { return waiting }
            return []
        }
        for continuation in waiting { continuation.resume(returning: text) }
        return text
    }

    private func wait(for origin: URLOrigin) async -> RobotsText {
        await withCheckedContinuation { continuation in
            let known = entries.withLock { entries -> RobotsText? in
                switch entries[origin] {
                case .ready(let text)?: return text
                case .loading(let waiting)?:
                    entries[origin] = .loading(waiting + [continuation])
                    return nil
                case nil: return .unreachable
                }
            }
            if let known { continuation.resume(returning: known) }
        }
    }

    /// RFC 9309, section 2.3.1: without the file everything is allowed; with a server error nothing.
    private func fetch(_ url: SourceURL) async -> RobotsText {
        var spec = template
        spec.url = "\(url.origin)/robots.txt"
        spec.transfer.maxTime = .seconds(20)
        spec.transfer.attemptsOnce()
        let bytes = Mutex<[UInt8]>([])
        let result = await engine.collect(spec, RunOptions(), window: 1 << 20, onEvent: { _ in }) { chunk in
            bytes.withLock { bytes in
                bytes += chunk
                return bytes.count < RobotsText.limit
            }
        }
        switch result {
        case .success: return RobotsText(bytes.withLock { $0 }, agent: agent)
        case .failure(let error):
            if error.code == .tooManyFiles { failure.withLock { $0 = error } }
            let found = bytes.withLock { $0 }
            if found.count >= RobotsText.limit { return RobotsText(found, agent: agent) }
            if let status = error.status, (400..<500).contains(status), status != 429 { return .allowed }
            return .unreachable
        }
    }
}
