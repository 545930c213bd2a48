import CHaulCurl
import Dispatch
import HaulTransport
import Synchronization

/// The thread on which libcurl runs: commands in, transfers out.
///
///     commands -> perform -> ended -> settle -> timers -> wait
///
/// Unchecked because all of it but `send` belongs to that thread; `send` touches the mailbox, which has a lock, and wakes libcurl,
/// which may be done from anywhere as long as it is there (curl_multi_wakeup(3)): the lock sees to that, too.
@safe final class CurlLoop: @unchecked Sendable {
    enum Command {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        case wake(CurlTransfer)
        case stop
    }

    private struct Mailbox {
        var commands: [Command] = []
        var isOpen = true
    }

    let configuration: CurlTransportConfiguration
    private let mailbox = Mutex(Mailbox())
    private let multi: OpaquePointer
    private let onQuiet: @Sendable () -> Void
    private let onEnd: @Sendable () -> Void
    /// By the address of libcurl's object.
    private var running: [UInt: CurlTransfer] = [:]
    private var transfers: [ObjectIdentifier: CurlTransfer] = [:]
    private var touched: [CurlTransfer] = []
    private var watched: [ObjectIdentifier: CurlTransfer] = [:]
    private var isStopping = false

    /// Makes a loop and its thread; nil when there is no memory.
    ///
    /// - Parameters:
    ///   - onQuiet: called when it was stopped and all sinks have heard their end.
    ///   - onEnd: called when the thread ends: closing connections may take longer.
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

    /// Has the thread do something, soon; whether it will.
    @discardableResult
    func send(_ command: Command) -> Bool {
        mailbox.withLock { mailbox in
            guard mailbox.isOpen else { return false }
            mailbox.commands.append(command)
            // The first one wakes it for all that come before it looks.
            if mailbox.commands.count == 1 { _ = unsafe haul_curl_multi_wake(multi) }
            return true
        }
    }

    // MARK: The thread

    private func run() {
        haul_curl_block_signals()
        while !isStopping {
            for command in take() { handle(command) }
            _ = unsafe haul_curl_multi_perform(multi)
            collect()
            settle()
            let now = ContinuousClock.now
            for transfer in Array(watched.values) { transfer.timePassed(now) }
            settle()
            if !isStopping { _ = unsafe haul_curl_multi_wait(multi, pause(from: now)) }
        }
        onQuiet()
        // A farewell to a server that doesn't answer may take libcurl a while; nobody waits for it.
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

    /// Milliseconds until the first deadline, rounded up, since none may come too early.
    private func pause(from now: ContinuousClock.Instant) -> Int32 {
        watched = watched.filter { $0.value.deadline != nil }
        guard let first = watched.values.compactMap(\.deadline).min() else { return 60_000 }
        let (seconds, attoseconds) = (first - now).components
        guard seconds < 60 else { return 60_000 }
        return Int32(max(0, seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000))
    }

    // MARK: For transfers, on the thread

    /// Hands a transfer to libcurl; whether it took it.
    func add(_ transfer: CurlTransfer) -> Bool {
        guard let easy = transfer.easy, unsafe haul_curl_multi_add(multi, easy.pointer) == 0 else { return false }
        running[easy.address] = transfer
        return true
    }

    /// Takes a transfer from libcurl, not from inside its calls.
    ///
    /// Its connection is closed unless it was at its end.
    func remove(_ transfer: CurlTransfer) {
        guard transfer.isAdded, let easy = transfer.easy else { return }
        transfer.isAdded = false
        _ = unsafe haul_curl_multi_remove(multi, easy.pointer)
        running[easy.address] = nil
    }

    /// A transfer has ended.
    func forget(_ transfer: CurlTransfer) {
        transfers[ObjectIdentifier(transfer)] = nil
        watched[ObjectIdentifier(transfer)] = nil
    }

    /// Has a transfer settled before the thread waits again.
    func touch(_ transfer: CurlTransfer) {
        guard !transfer.isTouched else { return }
        transfer.isTouched = true
        touched.append(transfer)
    }

    /// Has a transfer told when its deadline is over.
    func watch(_ transfer: CurlTransfer) { watched[ObjectIdentifier(transfer)] = transfer }
}
