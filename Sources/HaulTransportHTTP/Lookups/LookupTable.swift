import NIOCore

/// The addresses of hosts: each is looked up once in a while, and only so many at a time.
///
/// Pure: the time is an argument, and the lookups are made by `SharedLookups`.
struct LookupTable<Waiter> {
    /// How long results are used, and how many lookups run at a time.
    struct Rules: Hashable, Sendable {
        /// The time for which a result is used.
        ///
        /// getaddrinfo(3) does not return the time to live of DNS, so this is a minute, as in browsers that use it.
        var lifetime = TimeAmount.seconds(60)
        /// The time for which it is known that a host has no address.
        var absenceLifetime = TimeAmount.seconds(60)
        /// The time for which a failure is used that may be temporary, as of a name server that does not respond.
        var failureLifetime = TimeAmount.seconds(5)
        /// The maximum number of lookups at a time: more at once overload name servers.
        var maxRunning = 32
        /// The maximum number of results that are kept.
        var maxEntries = 10_000
    }

    /// The answer to a question.
    enum Answer {
        /// These addresses; empty if the host has none, or the lookup failed.
        case known([SocketAddress])
        /// The lookup is running, or waits for its turn: `ended` returns the waiter.
        case later
    }

    private struct Entry {
        let addresses: [SocketAddress]
        let end: NIODeadline
    }

    private let rules: Rules
    private var known: [String: Entry] = [:]
    private var waiters: [String: [Waiter]] = [:]
    /// The hosts whose lookup has not begun, in the order of the questions, from `first` on.
    private var queue: [String] = []
    private var first = 0
    private var running = 0

    init(_ rules: Rules = Rules()) { self.rules = rules }

    /// Returns the addresses of a host, or keeps the waiter until they are known.
    mutating func ask(_ host: String, _ waiter: @autoclosure () -> Waiter, now: NIODeadline) -> Answer {
        if let entry = known[host], entry.end > now { return .known(entry.addresses) }
        if waiters[host] == nil { queue.append(host) }
        waiters[host, default: []].append(waiter())
        return .later
    }

    /// Returns the next host to look up; nil if there is none, or enough lookups are running.
    mutating func next() -> String? {
        guard running < rules.maxRunning, first < queue.count else { return nil }
        running += 1
        defer {
            first += 1
            if first > 1000 || first == queue.count {
                queue.removeFirst(first)
                first = 0
            }
        }
        return queue[first]
    }

    /// Records the result of a lookup, and returns the waiters for it.
    ///
    /// - Parameter addresses: The addresses; nil if the lookup failed.
    mutating func ended(_ host: String, _ addresses: [SocketAddress]?, now: NIODeadline) -> [Waiter] {
        running -= 1
        if known.count >= rules.maxEntries { known = known.filter { $0.value.end > now } }
        if known.count >= rules.maxEntries { known = [:] }
        let lifetime = addresses.map { $0.isEmpty ? rules.absenceLifetime : rules.lifetime } ?? rules.failureLifetime
        known[host] = Entry(addresses: addresses ?? [], end: now + lifetime)
        return waiters.removeValue(forKey: host) ?? []
    }
}
