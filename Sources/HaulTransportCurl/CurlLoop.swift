import CHaulCurl
import Dispatch
import HaulTransport
import Synchronization

/// The thread on which libcurl runs: commands in, transfers out.
///
///     commands -> perform -> ended -> settle -> timers -> wait
///
/// Unchecked because everything except `send` belongs to that thread. `send` uses the mailbox, which has a lock, and
/// wakes libcurl, which is allowed from any thread while the handle exists (curl_multi_wakeup(3)): the lock ensures
/// that, too.
@safe final class CurlLoop: @unchecked Sendable {
    enum Command {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        case wake(CurlTransfer)
        case stop
    }

    private struct Inbox {
        var commands: [Command] = []
        var isOpen = true
    }

    let configuration: CurlTransportConfiguration
    private let mailbox = Mutex(Inbox())
    private let multi: OpaquePointer
    private let onQuiet: @Sendable () -> Void
    private let onEnd: @Sendable () -> Void
    /// The running transfers by the address of libcurl's handle.
    private var running: [UInt: CurlTransfer] = [:]
    private var transfers: [ObjectIdentifier: CurlTransfer] = [:]
    private var touched: [CurlTransfer] = []
    private var watched: [ObjectIdentifier: CurlTransfer] = [:]
    private var isStopping = false
    /// The FTP servers whose last transfer failed.
    ///
    /// If such a server sends a reply too many, libcurl takes it for that of the next command, for as long as it uses the connection.
    var doubtfulServers: Set<String> = []
    /// The number of times that libcurl was called to work.
    private(set) var round = 0

    /// Creates a loop and its thread; nil if there is no memory.
    ///
    /// - Parameters:
    ///   - onQuiet: Called after a stop, when the end was reported to all sinks.
    ///   - onEnd: Called when the thread ends: closing connections may take longer.
    init?(
        _ configuration: CurlTransportConfiguration, onQuiet: @escaping @Sendable () -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) {
        guard let multi = unsafe haul_curl_multi_make() else { return nil }
        unsafe self.multi = unsafe multi
        self.configuration = configuration
        self.onQuiet = onQuiet
        self.onEnd = onEnd
        DispatchQueue(label: "haul.transport.curl").async { self.run() }
    }

    /// Sends a command to the thread; returns false if it will not be executed.
    @discardableResult
    func send(_ command: Command) -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.isOpen else { return false }
            mailbox.commands.append(command)
            // The first command wakes the thread for all that follow before it looks.
            if mailbox.commands.count == 1 { _ = unsafe haul_curl_multi_wake(multi) }
            return true
        }
    }

    // MARK: The thread

    private func run() {
        haul_curl_block_signals()
        while !isStopping {
            for command in take() { handle(command) }
            round += 1
            _ = unsafe haul_curl_multi_perform(multi)
            collect()
            settle()
            let now = ContinuousClock.now
            for transfer in Array(watched.values) { transfer.timePassed(now) }
            settle()
            if !isStopping { _ = unsafe haul_curl_multi_wait(multi, pause(from: now)) }
        }
        onQuiet()
        // Saying goodbye to a server that does not respond may take libcurl some time; nothing waits for it.
        unsafe haul_curl_multi_free(multi)
        onEnd()
    }

    private func take() -> [Command] {
        mailbox.withLock { mailbox in
            let commands = mailbox.commands
            mailbox.commands.removeAll(keepingCapacity: true)
            return commands
        }
    }

    private func handle(_ command: Command) {
        switch command {
        case .start(let transfer):
            transfers[ObjectIdentifier(transfer)] = transfer
            transfer.begin()
        case .cancel(let transfer): transfer.end(.cancelled)
        case .wake(let transfer): transfer.woken()
        case .stop: stop()
        }
    }

    private func stop() {
        let late = mailbox.withLock { mailbox in
            mailbox.isOpen = false
            return mailbox.commands
        }
        for case .start(let transfer) in late { transfers[ObjectIdentifier(transfer)] = transfer }
        for transfer in Array(transfers.values) { transfer.end(.cancelled) }
        isStopping = true
    }

    private func collect() {
        var code: Int32 = 0
        while let easy = unsafe haul_curl_multi_ended(multi, &code) {
            running[UInt(bitPattern: easy)]?.ended(code)
        }
    }

    private func settle() {
        while let transfer = touched.popLast() {
            transfer.isTouched = false
            transfer.settle()
        }
    }

    /// Returns the milliseconds until the first deadline, rounded up, because none may fire too early.
    private func pause(from now: ContinuousClock.Instant) -> Int32 {
        watched = watched.filter { $0.value.deadline != nil }
        guard let first = watched.values.compactMap(\.deadline).min() else { return 60_000 }
        let (seconds, attoseconds) = (first - now).components
        guard seconds < 60 else { return 60_000 }
        return Int32(max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    // MARK: For transfers, on the thread

    /// Adds a transfer to libcurl, and returns true if it was accepted.
    func add(_ transfer: CurlTransfer) -> Bool {
        guard let easy = transfer.easy, unsafe haul_curl_multi_add(multi, easy.pointer) == 0 else { return false }
        running[easy.address] = transfer
        return true
    }

    /// Removes a transfer from libcurl.
    ///
    /// Must not be called inside libcurl's callbacks.
    ///
    /// Its connection is closed unless the transfer was complete.
    func remove(_ transfer: CurlTransfer) {
        guard transfer.isAdded, let easy = transfer.easy else { return }
        transfer.isAdded = false
        transfer.isLeaving = true
        _ = unsafe haul_curl_multi_remove(multi, easy.pointer)
        running[easy.address] = nil
    }

    /// Forgets a transfer that has ended.
    func forget(_ transfer: CurlTransfer) {
        transfers[ObjectIdentifier(transfer)] = nil
        watched[ObjectIdentifier(transfer)] = nil
    }

    /// Schedules a call of the transfer's `settle` before the thread waits again.
    func touch(_ transfer: CurlTransfer) {
        guard !transfer.isTouched else { return }
        transfer.isTouched = true
        touched.append(transfer)
    }

    /// Schedules a call of the transfer's `timePassed` after its deadline.
    func watch(_ transfer: CurlTransfer) { watched[ObjectIdentifier(transfer)] = transfer }
}
