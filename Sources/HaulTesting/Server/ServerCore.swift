import Synchronization

/// The state shared by the threads of one server.
final class ServerCore: Sendable {
    let stop: StopSignal
    let log = LogKeeper()
    let pacer: Pacer
    private let clientLimit: ClientLimit?
    /// The connections that count towards the client's limit.
    private let admitted = Mutex<Set<Int>>([])
    private let resources: Mutex<[String: Resource]>
    /// The connections whose threads are about to end.
    private let ended = Mutex<[Int]>([])

    init(_ resources: [String: Resource], _ bytesPerSecond: Int64?, _ clientLimit: ClientLimit?)
        throws(ServerSetupError)
    {
        self.clientLimit = clientLimit
        self.resources = Mutex(resources)
        pacer = Pacer(bytesPerSecond)
        stop = try StopSignal()
    }

    func set(_ path: String, _ resource: Resource?) {
        resources.withLock { $0[path] = resource }
    }

    func reply(_ facts: RequestFacts) -> Reply {
        let resource = resources.withLock { $0[facts.path] } ?? Resource.text("").script(.status(404))
        let script = refusal(facts) ?? resource.behaviour(facts)
        return ReplyBuilder(resource, script, facts).reply()
    }

    /// Returns the response for a connection beyond the client's limit.
    private func refusal(_ facts: RequestFacts) -> ServerScript? {
        guard let clientLimit else { return nil }
        let isAdmitted = admitted.withLock { admitted in
            if admitted.count < clientLimit.connections { admitted.insert(facts.connection) }
            return admitted.contains(facts.connection)
        }
        return isAdmitted ? nil : clientLimit.refusal.closing()
    }

    /// Frees the slot of a connection that has ended.
    func release(_ connection: Int) { _ = admitted.withLock { $0.remove(connection) } }

    /// Accepts connections, on a thread that owns the listening socket and joins every connection's thread.
    func accept(_ listener: FaultListener) {
        var threads: [Int: ServerThread] = [:]
        while let socket = listener.accept() {
            for number in ended.withLock({ numbers in numbers.removingAll() }) {
                threads.removeValue(forKey: number)?.join()
            }
            let number = log.connected()
            do {
                threads[number] = try ServerThread { [self] in
                    var connection = Connection(socket, number: number, core: self)
                    connection.run()
                    ended.withLock { $0.append(number) }
                }
            } catch {
                socket.reset()
                log.disconnected()
            }
        }
        listener.close()
        for thread in threads.values { thread.join() }
        stop.closeReader()
    }
}

extension Array {
    fileprivate mutating func removingAll() -> [Element] {
        defer { removeAll() }
        return self
    }
}
