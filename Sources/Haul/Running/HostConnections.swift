import HaulCore

/// A run's places at its hosts: what they grant becomes events of its machine, what the machine tells goes to their governors.
struct HostConnections {
    private struct Entry {
        let host: URLOrigin
        let slot: ConnectionSlot
        var reported = ConnectionQuota()
    }

    private let table: HostTable
    /// What the run's own time is behind the table's.
    private let offset: Duration
    private let wake: @Sendable () -> Void
    private var entries: [Entry] = []

    /// Makes the places of a run that begins now.
    init(_ table: HostTable, wake: @escaping @Sendable () -> Void) {
        self.table = table
        self.wake = wake
        offset = table.now
    }

    /// How many hosts it has a place at.
    var count: Int { entries.count }

    /// Takes a place at each of the hosts that has none yet.
    mutating func enter(_ hosts: [URLOrigin]) {
        for host in hosts.dropFirst(entries.count) {
            entries.append(Entry(host: host, slot: table.enter(host, wake: wake)))
        }
    }

    /// What has changed since it was asked last, for the machine.
    mutating func changedQuotas(now: Duration) -> [MachineEvent] {
        var events: [MachineEvent] = []
        for number in entries.indices {
            let slot = entries[number].slot
            var quota = slot.limiter.quota(of: slot.user, now: now + offset)
            quota.fullUntil = quota.fullUntil.map { $0 - offset }
            guard quota != entries[number].reported else { continue }
            entries[number].reported = quota
            events.append(.host(number, quota))
        }
        return events
    }

    /// Tells the governor of a host.
    mutating func send(_ number: Int, _ report: HostReport, now: Duration) {
        guard entries.indices.contains(number) else { return }
        let slot = entries[number].slot
        slot.limiter.receive(report, of: slot.user, now: now + offset)
        guard case .refused = report else { return }
        // The machine expects nothing until it hears what has become of it.
        entries[number].reported.connections = -1
        wake()
    }

    /// Gives all of them back.
    mutating func leave() {
        for entry in entries { table.leave(entry.slot, entry.host) }
        entries = []
    }
}
