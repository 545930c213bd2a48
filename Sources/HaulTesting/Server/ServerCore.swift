import Synchronization

/// What the threads of one server share.
final class ServerCore: Sendable {
    let stop: StopSignal
    let log = LogKeeper()
    let pacer: Pacer
    private let resources: Mutex<[String: Resource]>
    /// The connections whose threads have nothing left to do but to end.
    private let ended = Mutex<[Int]>([])

    init(_ resources: [String: Resource], _ bytesPerSecond: Int64?) throws(ServerSetupError) {
        self.resources = Mutex(resources)
        pacer = Pacer(bytesPerSecond)
        stop = try StopSignal()
    }

    func set(_ path: String, _ resource: Resource?) {
        resources.withLock { $0[path] = resource }
    }

    func reply(_ facts: RequestFacts) -> Reply {
        let resource = resources.withLock { $0[facts.path] } ?? Resource.text("").script(.status(404))
        return ReplyBuilder(resource, resource.behaviour(facts), facts).reply()
    }

    /// The body of the thread that accepts: it owns the listening socket and joins every connection's thread.
    func accept(_ listener: Listener) {
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
