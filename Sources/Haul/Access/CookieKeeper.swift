import HTTPTypes
import HaulCore
import Synchronization

/// The cookies of one run: asked by whoever makes a request, filled by the sinks that hear the answers.
///
/// An answer's cookies are there before anybody hears of the answer, so that the request which follows a redirect has them.
final class CookieKeeper: Sendable {
    private let jar: Mutex<CookieJar>
    private let wallClock: @Sendable () -> Int64

    /// Makes a keeper that begins with these.
    init(_ cookies: [Cookie], wallClock: @escaping @Sendable () -> Int64) {
        jar = Mutex(CookieJar(cookies))
        self.wallClock = wallClock
    }

    /// What is sent to a URL, or nil.
    func header(for url: SourceURL) -> String? { jar.withLock { $0.header(for: url, now: wallClock()) } }

    /// Takes what an answer sets, and says whether other cookies are sent from now on.
    func receive(_ fields: HTTPFields, from url: SourceURL) -> Bool {
        let values = fields[values: .setCookie]
        guard !values.isEmpty else { return false }
        return jar.withLock { $0.receive(values, from: url, now: wallClock()) }
    }
}
