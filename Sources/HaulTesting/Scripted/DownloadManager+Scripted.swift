public import HaulCore
public import HaulEngine
public import HaulLocal
public import HaulManager

extension DownloadManager {
    /// Opens a manager whose downloads use a scripted transport and go by its clock.
    ///
    /// Files are written as usual. The manager always finds a network; a refused connection is retried as any failure.
    ///
    /// - Throws: Like `init(_:)`.
    public convenience init(
        scripted transport: ScriptedTransport,
        _ configuration: ManagerConfiguration = ManagerConfiguration(storage: .inMemory)
    ) async throws(DownloadError) {
        var configuration = configuration
        configuration.clock = transport.clock.source
        configuration.network = .always
        try await self.init(configuration, transport: transport)
    }
}

extension DownloadEngine {
    /// Creates an engine that uses a scripted transport and goes by its clock.
    ///
    /// - Throws: Like `init(_:)`.
    public convenience init(
        scripted transport: ScriptedTransport, _ configuration: EngineConfiguration = EngineConfiguration()
    ) throws(DownloadError) {
        var configuration = configuration
        configuration.clock = transport.clock.source
        try self.init(configuration, transport: transport)
    }
}

extension Download {
    /// Waits until an attempt has failed and the download waits for its next one, and returns the reason.
    ///
    /// Advance the clock then. The delay grows with each attempt; half an hour is always enough.
    ///
    /// - Throws: Like `wait(until:)`, and `DownloadError` with code `notPossible` if the download ends first.
    @discardableResult
    public func waitForRetry() async throws -> WaitReason {
        let snapshot = try await wait { $0.state.isFinal || $0.state.isBetweenAttempts }
        guard case .waiting(let reason) = snapshot.state else {
            throw DownloadError(.notPossible, "download \(id) has ended without waiting for another attempt")
        }
        return reason
    }

    /// Waits until a snapshot of the download satisfies a condition, and returns it.
    ///
    ///     try await download.wait { $0.state == .running }
    ///
    /// The condition is checked after each event. Progress is reported by the clock, too: over a scripted transport, a
    /// running download keeps its `progress` until the clock is advanced by the progress interval.
    ///
    /// - Throws: `DownloadError` with code `noSuchDownload` if the download is removed first, `notPossible` if the manager
    ///   is closed first; `CancellationError` if the task is cancelled.
    @discardableResult
    public func wait(until condition: (DownloadSnapshot) throws -> Bool) async throws -> DownloadSnapshot {
        for try await _ in events {
            let snapshot = try await snapshot
            if try condition(snapshot) { return snapshot }
        }
        let snapshot = try await snapshot
        if try condition(snapshot) { return snapshot }
        throw DownloadError(.notPossible, "the manager was closed before download \(id) was as expected")
    }
}

extension DownloadState {
    fileprivate var isBetweenAttempts: Bool {
        switch self {
        case .waiting(.retrying), .waiting(.serverAsked): true
        case .waiting, .running, .paused, .finished, .failed, .cancelled: false
        }
    }
}
