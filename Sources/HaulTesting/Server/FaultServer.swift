import Synchronization

/// An HTTP/1.1 server that does exactly what a script says, errors above all.
///
/// It listens on a free port of 127.0.0.1, with one thread per connection; nothing runs or waits on Swift's thread
/// pool. By default it behaves correctly: ranges, If-Range, HEAD, keep-alive. `stop` returns when its threads and
/// descriptors are released.
///
///     let server = try await FaultServer.start([
///         "/f": .file(seed: 1, size: 10_000_000).script { $0.number == 1 ? .cut(after: 100_000) : .normal }
///     ])
public final class FaultServer: Sendable {
    /// The port on which the server listens.
    public let port: Int
    private let core: ServerCore
    private let acceptor: Mutex<ServerThread?>
    private let gone = Gate()

    private init(_ core: ServerCore, port wanted: UInt16) throws {
        self.core = core
        let listener = try FaultListener(stop: core.stop, port: wanted)
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
        // For tests that fail before calling `stop`: the threads are asked to end, and not waited for.
        core.stop.raise()
    }

    /// Starts a server with resources by path.
    ///
    /// Paths are compared as sent, percent-encoded.
    ///
    /// - Parameters:
    ///   - resources: The resources.
    ///   - bytesPerSecond: The maximum rate of all bodies together; nil for no limit.
    ///   - clientLimit: The limit on the connections of a client; nil for none.
    ///   - port: The port to listen on; 0 for any free one.
    /// - Throws: `ServerSetupError` if the system has no socket or thread left, or the port is taken.
    public static func start(
        _ resources: [String: Resource], throttle bytesPerSecond: Int64? = nil, clientLimit: ClientLimit? = nil,
        port: UInt16 = 0
    ) async throws -> FaultServer {
        let core = try ServerCore(resources, bytesPerSecond, clientLimit)
        do {
            return try FaultServer(core, port: port)
        } catch {
            core.stop.raise()
            core.stop.closeReader()
            throw error
        }
    }

    /// Starts a server, passes it to the closure, and stops it in any case.
    public static func run<Value>(
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

    /// Ends every connection immediately, and returns when all threads and descriptors are released.
    ///
    /// A second call has no effect.
    public func stop() async {
        core.stop.raise()
        await gone.wait()
        // The thread only has to return: the join takes microseconds.
        acceptor.withLock { thread in
            thread?.join()
            thread = nil
        }
    }

    /// Returns the URL of a path.
    public func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// Sets or removes the resource at a path; responses that have started do not change.
    public func set(_ path: String, _ resource: Resource?) { core.set(path, resource) }

    /// Changes the throttle of the whole server; nil removes it.
    public func throttle(_ bytesPerSecond: Int64?) { core.pacer.set(bytesPerSecond) }

    /// Slows down to 1000 bytes a second after about `bytes` more body bytes, until the throttle is changed.
    ///
    /// A test can then stop a client partway through, however late the client reports its progress.
    public func hold(after bytes: Int64) { core.pacer.hold(after: bytes) }
}

/// The observations of the server.
extension FaultServer {
    /// The log up to now.
    ///
    /// A client may see the end of a response shortly before the log does: see `settled`.
    public var log: ServerLog { core.log.log }

    /// The number of body bytes that the server's sockets have accepted.
    public var totalBodyBytes: Int64 { log.totalBodyBytes }

    /// The maximum number of requests that were answered at a time.
    public var maximumConcurrent: Int { log.maximumConcurrent }

    /// Returns the requests for a path.
    public func requests(_ path: String) -> [RequestRecord] { log.requests(path) }

    /// Waits, without polling, until a condition holds for the log, and returns it; throws if the task is cancelled
    /// first.
    @discardableResult
    public func until(_ condition: @escaping @Sendable (ServerLog) -> Bool) async throws -> ServerLog {
        try await core.log.wait(condition)
    }

    /// Waits until no request is being answered, and returns the log.
    @discardableResult
    public func settled() async throws -> ServerLog {
        try await until { $0.concurrent == 0 }
    }
}

/// A limit on the connections of one client to the whole server, for all resources together.
///
/// A connection is counted from its first request until it ends. A connection beyond the limit gets the refusal, and is
/// closed; the client may try again. All connections of a test count as one client's.
public struct ClientLimit: Sendable {
    /// The maximum number of connections served at a time.
    public let connections: Int
    /// The response to connections beyond the limit: 429, 503, a reset.
    public let refusal: ServerScript

    /// Makes a limit.
    public init(connections: Int, refusal: ServerScript = .status(429)) {
        self.connections = connections
        self.refusal = refusal
    }
}
