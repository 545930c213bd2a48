import CHaulSystem
import Dispatch
import HaulLibC
import Synchronization

#if canImport(Network)
    import Network
#endif

/// Reports changes of the network: of links, addresses and routes.
///
/// On Linux it listens to rtnetlink(7), on Apple's systems it uses `NWPathMonitor`. Elsewhere, and if that fails, it
/// reports nothing, and the caller has to look from time to time.
package final class NetworkMonitor: Sendable {
    private let queue = DispatchQueue(label: "haul.network.changes")
    /// True while a change is about to be reported.
    private let isDue = Mutex(false)
    private let end: Mutex<(@Sendable () -> Void)?>

    /// Starts to listen.
    ///
    /// - Parameter onChange: Called after a change, once for several at the same time.
    package init(onChange: @escaping @Sendable () -> Void) {
        end = Mutex(nil)
        #if canImport(Network)
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { _ in onChange() }
            monitor.start(queue: queue)
            end.withLock { $0 = { monitor.cancel() } }
        #else
            var opened: Int32 = -1
            // Safe: the variable outlives the call, which sets it.
            guard unsafe haul_network_changes(&opened) == 0 else { return }
            let descriptor = opened
            let made = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            guard let source = made as? DispatchSource else { return }
            source.setEventHandler { [weak self] in
                Self.drain(descriptor)
                self?.changed(onChange)
            }
            source.setCancelHandler { _ = close(descriptor) }
            source.resume()
            end.withLock { $0 = { source.cancel() } }
        #endif
    }

    /// Reads what is there: what has changed does not matter.
    private static func drain(_ descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 8192)
        // Safe: the buffer holds the number of bytes that are requested.
        while unsafe bytes.withUnsafeMutableBytes({ unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }) > 0 {}
    }

    /// Reports a change a little later, since several belong together: the link, its address, its routes.
    private func changed(_ onChange: @escaping @Sendable () -> Void) {
        let wasDue = isDue.withLock { isDue in
            defer { isDue = true }
            return isDue
        }
        guard !wasDue else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(100)) { [self] in
            isDue.withLock { $0 = false }
            onChange()
        }
    }

    deinit { end.withLock { $0 }?() }
}

extension NetworkProbe {
    /// Waits until there is a network or one of the hosts can be reached, or until something has changed; returns at
    /// once if the task is cancelled.
    package func changed(for hosts: Set<String>) async {
        let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let look = HostLook()
        let monitor = NetworkMonitor { change.yield() }
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { for await _ in changes { return } }
            tasks.addTask {
                // The system may not report changes, and one may have come before.
                while !hasRoute() {
                    // Not awaited, since name servers may take long.
                    look.start { if hosts.contains(where: { !isCutOff($0) }) { change.yield() } }
                    guard (try? await Task.sleep(for: .seconds(2))) != nil else { return }
                }
            }
            await tasks.next()
            tasks.cancelAll()
        }
        withExtendedLifetime(monitor) {}
    }
}

/// A look for hosts on a thread of its own, one at a time.
private final class HostLook: Sendable {
    private let isRunning = Atomic(false)

    /// Starts work, unless an earlier one has not ended.
    func start(_ work: @escaping @Sendable () -> Void) {
        guard !isRunning.exchange(true, ordering: .acquiringAndReleasing) else { return }
        BlockingQueue(label: "haul.network").start { [self] in
            work()
            isRunning.store(false, ordering: .releasing)
        }
    }
}
