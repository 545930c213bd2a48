package import HaulCore
import Synchronization

/// Downloads while there is no network.
extension DownloadEngine {
    /// Runs a download to its end; a failure because there is no network has the detail `noNetwork`.
    ///
    /// - Parameter waits: True to wait until the network is back, and to resume then.
    package func run(
        _ spec: DownloadSpec, _ options: RunOptions, waitsForNetwork waits: Bool, _ probe: NetworkProbe = .system,
        onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) async -> Result<FinishFacts, DownloadError> {
        let hosts = firstHosts(of: spec)
        let result: Result<FinishFacts, DownloadError> = await probe.retrying(hosts) {
            if waits { onEvent(.waiting(.network, seconds: 0)) }
            return waits
        } attempt: {
            let stop = OneShotEvent()
            let watch = NetworkWatch(spec, to: hosts, probe) { stop.set() }
            let receive: @Sendable (TransferEvent) -> Void = { event in
                if waits { watch.receive(event) }
                // Whether the failure is that of the network is not known yet.
                if case .failed = event { return }
                onEvent(event)
            }
            let ended =
                waits
                ? await run(spec, options, until: stop, onEvent: receive)
                : await run(spec, options, onEvent: receive)
            return await watch.result(ended)
        }
        if case .failure(let error) = result { onEvent(.failed(error)) }
        return result
    }

    /// Returns the hosts to which a download connects first: those of its sources, or of the proxies on the way there.
    package func firstHosts(of spec: DownloadSpec) -> Set<String> {
        let urls = ([spec.url] + spec.source.mirrors.map(\.url)).compactMap { try? SourceURL(parsing: $0) }
        return Set(urls.map { context.proxies.proxy(for: $0.origin)?.host ?? $0.host })
    }

    /// Runs a download to its end, or until it is asked to stop.
    package func run(
        _ spec: DownloadSpec, _ options: RunOptions, until stop: OneShotEvent,
        onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) async -> Result<FinishFacts, DownloadError> {
        await stop.ends { await self.run(spec, options, onEvent: onEvent) }
    }
}

extension NetworkProbe {
    /// Makes an attempt; if it fails because the network is missing, repeats it when the network is back.
    ///
    /// Returns the result of the last attempt.
    ///
    /// - Parameters:
    ///   - hosts: The hosts to which the attempt connects: `DownloadEngine.firstHosts(of:)`.
    ///   - onWait: Called after such a failure; false to return it instead of waiting.
    ///   - attempt: Its failure has the detail `noNetwork` if the network is missing: see `NetworkWatch.result(_:)`.
    package func retrying<Value: Sendable>(
        _ hosts: Set<String>, onWait: () -> Bool, attempt: () async -> Result<Value, DownloadError>
    ) async -> Result<Value, DownloadError> {
        while true {
            let result = await attempt()
            guard case .failure(let error) = result, error.detail == .noNetwork, !Task.isCancelled, onWait() else {
                return result
            }
            await changed(for: hosts)
        }
    }
}

extension OneShotEvent {
    /// Runs a download to its end; cancels it when the event comes, and returns its result then, too.
    package func ends(
        _ run: @escaping @Sendable () async -> Result<FinishFacts, DownloadError>
    ) async -> Result<FinishFacts, DownloadError> {
        await withTaskGroup(of: Result<FinishFacts, DownloadError>?.self) { tasks in
            tasks.addTask { await run() }
            tasks.addTask {
                await self.wait()
                return nil
            }
            let first = await tasks.next() ?? nil
            tasks.cancelAll()
            let second = await tasks.next() ?? nil
            return first ?? second
                ?? .failure(DownloadError(.internal, "the run ended without a result; this is a bug in Haul"))
        }
    }
}
