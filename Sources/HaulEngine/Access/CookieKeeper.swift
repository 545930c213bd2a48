import HTTPTypes
import HaulCore
import Synchronization

/// The cookies of one run, shared by the request builder and the sinks that receive responses.
///
/// The cookies of a response are stored before the response is reported, so that the request after a redirect has them.
final class CookieKeeper: Sendable {
    private let jar: Mutex<CookieJar>
    private let wallClock: @Sendable () -> Int64

    /// Creates a keeper with initial cookies.
    init(_ cookies: [Cookie], wallClock: @escaping @Sendable () -> Int64) {
        jar = Mutex(CookieJar(cookies))
        self.wallClock = wallClock
    }

    /// Returns the `Cookie` header for a URL, or nil.
    func header(for url: SourceURL) -> String? { jar.withLock { $0.header(for: url, now: wallClock()) } }

    /// Stores the cookies of a response; returns true if other cookies are sent from now on.
    func receive(_ fields: HTTPFields, from url: SourceURL) -> Bool {
        let values = fields[values: .setCookie]
        guard !values.isEmpty else { return false }
        return jar.withLock { $0.receive(values, from: url, now: wallClock()) }
    }
}
