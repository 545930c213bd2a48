@testable import HaulCore

/// Simulates a download from several servers, whose connections `HostShares` divides.
struct HostSharesSimulation {
    /// A server, with speeds in bytes per second.
    struct Server {
        /// The limit of each connection, and that of all together.
        var each = Double.infinity
        var total = Double.infinity
        /// The time from a request to the response.
        var latency = 0.005
        /// The time before which it cannot be used, except for the first one.
        var usableAfter = 0.1
        /// The time before which it is not known.
        var knownAfter = 0.0
        /// The time between two arrivals of bytes; 0 means that they arrive all the time.
        var burst = 0.0
        /// The random part of the speed.
        var noise = 0.0
        var priority = 1
        /// The most connections that it accepts.
        var limit = Int.max
        var isDead = false
        /// True if a connection that is given up cannot be opened again.
        var isOneUse = false
        /// The time from which it has another limit per connection.
        var change: (after: Double, each: Double)?
    }

    private struct Connection {
        var id: Int
        var host: Int
        var opens: Double
        var began: Double
        var received = 0.0
        var pending = 0.0
        var nextBurst = 0.0
    }

    /// What happened.
    struct Outcome {
        /// The duration in seconds.
        var time = 0.0
        /// The number of connections that were given up for another host.
        var moves = 0
        /// The bytes from each server.
        var received: [Double]
        /// The numbers of connections at each tenth of a second.
        var numbers: [[Int]] = []
    }

    let servers: [Server]
    let total: Int
    private var shares: HostShares
    private var connections: [Connection] = []
    private var newest = 0
    private var generator: FuzzText
    private var outcome: Outcome

    private init(_ servers: [Server], total: Int, seed: UInt64) {
        (self.servers, self.total) = (servers, total)
        shares = HostShares(total: total)
        generator = FuzzText(seed: seed)
        outcome = Outcome(received: servers.map { _ in 0 })
    }

    /// Downloads a number of bytes over at most `total` connections.
    static func run(_ servers: [Server], _ total: Int, bytes: Double, seed: UInt64 = 1) -> Outcome {
        var simulation = HostSharesSimulation(servers, total: total, seed: seed)
        simulation.run(bytes)
        return simulation.outcome
    }

    /// Returns the time that the best server needs alone.
    static func best(_ servers: [Server], _ total: Int, bytes: Double) -> Double {
        servers.filter { !$0.isDead }.map { run([$0], total, bytes: bytes).time }.min() ?? .infinity
    }

    private mutating func run(_ bytes: Double) {
        open(0, at: 0)
        while outcome.time < 10_000 {
            outcome.time += 0.1
            deliver()
            let left = bytes - outcome.received.reduce(0, +)
            if left <= 0 { return }
            let now = Duration.seconds(outcome.time)
            shares.observe(hosts(), left: Int64(left), isFree: true, now: now)
            giveUp(now: now)
            let hosts = hosts()
            shares.admit(hosts, now: now)
            for (index, number) in shares.numbers(hosts).enumerated() {
                for _ in 0..<max(0, min(number, hosts[index].limit) - hosts[index].connections)
                where connections.count < total { open(index, at: outcome.time) }
            }
            outcome.numbers.append(servers.indices.map { host in connections.count { $0.host == host } })
        }
    }

    private mutating func open(_ host: Int, at time: Double) {
        newest += 1
        let opens = time + servers[host].latency * 2
        connections.append(Connection(id: newest, host: host, opens: opens, began: time, nextBurst: opens))
    }

    private mutating func giveUp(now: Duration) {
        for (host, count) in shares.surplus(hosts()).enumerated() where count > 0 {
            let isMoving = shares.isMoving(now: now)
            let own = connections.indices.filter {
                connections[$0].host == host && (isMoving || outcome.time - connections[$0].began >= 3)
            }
            for index in own.suffix(count).reversed() {
                connections.remove(at: index)
                outcome.moves += 1
            }
        }
    }

    private mutating func deliver() {
        for host in servers.indices where !servers[host].isDead {
            let server = servers[host]
            let active = connections.indices.filter {
                connections[$0].host == host && connections[$0].opens <= outcome.time
            }
            let each = server.change.map { outcome.time < $0.after ? server.each : $0.each } ?? server.each
            for index in active {
                let noise = Double.random(in: 1 - server.noise...1 + server.noise, using: &generator)
                let time = min(0.1, outcome.time - connections[index].opens)
                connections[index].pending += min(each, server.total / Double(active.count)) * noise * time
                guard outcome.time >= connections[index].nextBurst else { continue }
                connections[index].nextBurst = outcome.time + server.burst
                outcome.received[host] += connections[index].pending
                connections[index].received += connections[index].pending
                connections[index].pending = 0
            }
        }
    }

    private func hosts() -> [HostShares.Host] {
        servers.indices.map { index in
            let server = servers[index]
            var host = HostShares.Host()
            host.priority = server.priority
            let own = connections.filter { $0.host == index }
            host.connections = own.count
            for connection in own where connection.received > 0 {
                host.received[connection.id] = Int64(connection.received)
            }
            host.hasResponded = outcome.received[index] > 0
            // A mirror has to prove that it has the same file, over one connection.
            host.limit =
                index > 0 && outcome.time < server.usableAfter ? 0 : index > 0 && !host.hasResponded ? 1 : server.limit
            host.latency = .seconds(server.latency)
            host.canReturn = !server.isOneUse
            host.isUsable = outcome.time >= server.knownAfter
            if !host.isUsable { host.limit = 0 }
            return host
        }
    }
}
