import HaulCore

/// The connection slots of a run: reports quotas to its machine, and the machine's reports to the hosts' governors.
struct HostConnections {
    private struct Entry {
        let host: URLOrigin
        let slot: ConnectionSlot
        var reported = ConnectionQuota()
    }

    private let table: HostTable
    /// The difference between the run's time and the table's.
    private let offset: Duration
    private let wake: @Sendable () -> Void
    private var entries: [Entry] = []

    /// Creates the slots of a run that begins now.
    init(_ table: HostTable, wake: @escaping @Sendable () -> Void) {
        self.table = table
        self.wake = wake
        offset = table.now
    }

    /// The number of hosts with a slot.
    var count: Int { entries.count }

    /// Takes a slot at each host that has none yet.
    mutating func enter(_ hosts: [URLOrigin]) {
        for host in hosts.dropFirst(entries.count) {
            entries.append(Entry(host: host, slot: table.enter(host, wake: wake)))
        }
    }

    /// Returns the quotas that have changed since the last call, as events for the machine.
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

    /// Sends a report to the governor of a host.
    mutating func send(_ number: Int, _ report: HostReport, now: Duration) {
        guard entries.indices.contains(number) else { return }
        let slot = entries[number].slot
        slot.limiter.receive(report, of: slot.user, now: now + offset)
        guard case .refused = report else { return }
        // The machine waits for a new quota after this, so even an unchanged one must be reported.
        entries[number].reported.connections = -1
        wake()
    }

    /// Releases all slots.
    mutating func leave() {
        for entry in entries { table.leave(entry.slot, entry.host) }
        entries = []
    }
}
