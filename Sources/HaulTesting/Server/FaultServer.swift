import Synchronization

/// An HTTP/1.1 server that does exactly what a script says, wrong things above all.
///
/// It listens on a free port of 127.0.0.1, with one thread per connection; nothing of it runs or waits on Swift's
/// thread pool. Left alone it is right: ranges, If-Range, HEAD, keep-alive. `stop` returns when its threads and
/// descriptors are gone.
///
///     let server = try await FaultServer.start([
///         "/f": .file(seed: 1, size: 10_000_000).script { $0.number == 1 ? .cut(after: 100_000) : .normal }
///     ])
package final class FaultServer: Sendable {
    /// The port it listens on.
    package let port: Int
    private let core: ServerCore
    private let acceptor: Mutex<ServerThread?>
    private let gone = Gate()

    private init(_ core: ServerCore) throws {
        self.core = core
        let listener = try FaultListener(stop: core.stop)
        port = listener.port
        let gone = gone
        do {
            let thread = try ServerThread {
                core.accept(listener)
                gone.open()
            }
            acceptor = Mutex(thread)
        } catch {
            listener.close()
            throw error
        }
    }

    deinit {
        // For tests that fail before their `stop`: the threads are told to end, and not waited for.
        core.stop.raise()
    }

    /// Starts a server of these resources, by path; with a throttle it sends at most so many body bytes a second in
    /// all, with a limit it serves only so many connections of a client.
    ///
    /// Paths are compared as they are sent, percent-encoded. Throws `ServerSetupError` where the system has no socket
    /// or thread left.
    package static func start(
        _ resources: [String: Resource], throttle bytesPerSecond: Int64? = nil, clientLimit: ClientLimit? = nil
    ) async throws -> FaultServer {
        let core = try ServerCore(resources, bytesPerSecond, clientLimit)
        do {
            return try FaultServer(core)
        } catch {
            core.stop.raise()
            core.stop.closeReader()
            throw error
        }
    }

    /// Starts a server, gives it to the closure, and stops it whatever the closure does.
    package static func run<Value>(
        _ resources: [String: Resource], throttle bytesPerSecond: Int64? = nil, clientLimit: ClientLimit? = nil,
        _ body: (FaultServer) async throws -> Value
    ) async throws -> Value {
        let server = try await start(resources, throttle: bytesPerSecond, clientLimit: clientLimit)
        do {
            let value = try await body(server)
            await server.stop()
            return value
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Ends every connection, at once, and returns when all threads and descriptors are gone.
    ///
    /// A second call does nothing.
    package func stop() async {
        core.stop.raise()
        await gone.wait()
        // The thread has nothing left to do but to return: the join takes microseconds.
        acceptor.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    /// The URL of a path.
    package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Puts another resource, or none, at a path; answers that have begun are not changed.
    package func set(_ path: String, _ resource: Resource?) { core.set(path, resource) }

    /// Changes the throttle of the whole server; nothing lifts it.
    package func throttle(_ bytesPerSecond: Int64?) { core.pacer.set(bytesPerSecond) }

    /// After about so many body bytes more, only 1000 flow in a second, until the throttle is changed.
    ///
    /// A client can then be stopped half-way however late it hears how far it is.
    package func hold(after bytes: Int64) { core.pacer.hold(after: bytes) }
}

/// What it has seen.
extension FaultServer {
    /// What it has seen until now.
    ///
    /// A client may see the end of an answer shortly before the log does: see `settled`.
    package var log: ServerLog { core.log.log }

    /// How many body bytes its sockets have taken in all.
    package var totalBodyBytes: Int64 { log.totalBodyBytes }

    /// The most requests that it answered at a time.
    package var maximumConcurrent: Int { log.maximumConcurrent }

    /// The requests for a path.
    package func requests(_ path: String) -> [RequestRecord] { log.requests(path) }

    /// Returns the log when the condition holds for it, without polling; throws when the task is cancelled before.
    @discardableResult
    package func until(_ condition: @escaping @Sendable (ServerLog) -> Bool) async throws -> ServerLog {
        try await core.log.wait(condition)
    }

    /// Returns the log when no request is being answered.
    @discardableResult
    package func settled() async throws -> ServerLog {
        try await until { $0.concurrent == 0 }
    }
}
