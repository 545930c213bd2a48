import CHaulSystem
package import HaulCore
import Synchronization

#if canImport(Network)
    import Dispatch
    import Network
#endif

/// Finds out whether there is a network.
package struct NetworkProbe: Sendable {
    /// Returns true if there is a route to addresses of the internet; sends nothing, and does not block.
    package var hasRoute: @Sendable () -> Bool
    /// Returns true if a host can't be reached because there is no network; blocks.
    package var isCutOff: @Sendable (_ host: String) -> Bool
    /// Returns true if the network is expensive or constrained; nil if the system does not report that.
    ///
    /// It does not block.
    package var isMetered: @Sendable () -> Bool?

    /// Creates a probe.
    package init(
        hasRoute: @escaping @Sendable () -> Bool, isCutOff: @escaping @Sendable (_ host: String) -> Bool,
        isMetered: @escaping @Sendable () -> Bool? = { nil }
    ) {
        (self.hasRoute, self.isCutOff, self.isMetered) = (hasRoute, isCutOff, isMetered)
    }

    /// The probe that asks the system.
    ///
    /// A network without a route to the internet is one, too, if it has a route to the host.
    package static let system = NetworkProbe(
        hasRoute: { haul_has_route() != 0 },
        // Safe: the host is a Swift string, passed as a NUL-terminated string for the duration of the call.
        isCutOff: { host in unsafe haul_is_cut_off(host) != 0 }, isMetered: { systemIsMetered })

    #if canImport(Network)
        /// The system's monitor of the network, which lives as long as the process.
        private static let monitor = {
            let monitor = NWPathMonitor()
            monitor.start(queue: DispatchQueue(label: "haul.network.kind"))
            return monitor
        }()
        private static var systemIsMetered: Bool? {
            let path = monitor.currentPath
            return path.isExpensive || path.isConstrained
        }
    #else
        /// No interface of Linux that every system has reports it.
        private static let systemIsMetered: Bool? = nil
    #endif

    /// The probe for transports that need no network.
    package static let always = NetworkProbe(hasRoute: { true }, isCutOff: { _ in false })

    /// Returns true if a failure is that of a missing network, without which none of the hosts can be reached; blocks.
    func explains(_ error: DownloadError, of hosts: Set<String>) -> Bool {
        Self.mayBeOfNetwork(error) && !hasRoute() && !hosts.isEmpty && hosts.allSatisfy(isCutOff)
    }

    /// Returns true if the error may be that of a missing network.
    static func mayBeOfNetwork(_ error: DownloadError) -> Bool {
        switch error.code {
        case .nameNotResolved, .connectionFailed, .timedOut: true
        case .invalidRequest, .tlsFailed, .notFound, .notAuthorized, .linkExpired, .serverBusy, .unexpectedStatus,
            .redirectRefused, .badResponse, .contentEncoded, .sourceChanged, .checksumMismatch, .noSpace, .fileFailed,
            .tooManyFiles, .destinationExists, .destinationBusy, .noSuchDownload, .notPossible, .catalogueBusy,
            .catalogueFailed, .cancelled, .internal:
            false
        }
    }
}

extension DownloadError {
    /// Returns the error of a missing network, with the failure that showed it.
    static func noNetwork(_ failure: DownloadError) -> DownloadError {
        DownloadError(failure.code, "there is no network", cause: failure.message, detail: .noNetwork)
    }
}

/// Observes the failures of a run, and stops it when they are those of a missing network.
///
/// A run would otherwise use up its attempts, and fail after some seconds.
package final class NetworkWatch: Sendable {
    private let probe: NetworkProbe
    private let hosts: Set<String>
    private let stop: @Sendable () -> Void
    /// True if a request that was sent may be sent again, or its error says that it is not repeated.
    private let mayWait: Bool
    /// The failure that showed that there is no network.
    private let failure = Mutex<DownloadError?>(nil)

    /// Creates a watch.
    ///
    /// - Parameters:
    ///   - spec: The download.
    ///   - hosts: The hosts to which it connects: `DownloadEngine.firstHosts(of:)`.
    ///   - probe: Finds out whether there is a network.
    ///   - stop: Stops the run; called at most once for each failed attempt.
    package init(
        _ spec: DownloadSpec, to hosts: Set<String>, _ probe: NetworkProbe, stop: @escaping @Sendable () -> Void
    ) {
        self.hosts = hosts
        self.probe = probe
        self.stop = stop
        mayWait = spec.mayRepeat || spec.transfer.triesAgain
    }

    /// Receives an event of the run.
    package func receive(_ event: TransferEvent) {
        guard case .waiting(.retrying(let error, _), _) = event, NetworkProbe.mayBeOfNetwork(error),
            !probe.hasRoute()
        else { return }
        BlockingQueue(label: "haul.network").start { [self] in
            guard probe.explains(error, of: hosts) else { return }
            failure.withLock { $0 = error }
            stop()
        }
    }

    /// Returns the result of the run: one that was stopped or failed because there is no network has an error with the
    /// detail `noNetwork`.
    package func result(_ result: Result<FinishFacts, DownloadError>) async -> Result<FinishFacts, DownloadError> {
        // A request that must not be repeated is not, once the network is back.
        guard case .failure(let error) = result, mayWait, error.detail != .notRepeated else { return result }
        if error.code == .cancelled {
            return failure.withLock { $0 }.map { .failure(.noNetwork($0)) } ?? result
        }
        guard NetworkProbe.mayBeOfNetwork(error), !probe.hasRoute() else { return result }
        return await BlockingQueue(label: "haul.network").run { [probe, hosts] in
            probe.explains(error, of: hosts) ? .failure(.noNetwork(error)) : result
        }
    }
}
