import HaulCore
import HaulLibC
import HaulTransport

/// The first request of a download that may be complete after one response.
struct SmallRequest: Sendable {
    /// The maximum wait for the response, unless half of the idle timeout is shorter; then the run's own timeouts apply.
    private static let patience: Duration = .seconds(2)

    private let spec: DownloadSpec
    private let access: SourceAccess
    private let configuration: MachineConfiguration
    private let context: RunContext
    private let began: ContinuousClock.Instant

    /// Creates the request.
    init(
        _ spec: DownloadSpec, _ access: SourceAccess, _ configuration: MachineConfiguration, _ context: RunContext
    ) {
        (self.spec, self.access, self.configuration, self.context) = (spec, access, configuration, context)
        began = context.clock.now
    }

    /// Takes a slot at the host; nil if the host grants none now.
    func enter() -> ConnectionSlot? {
        let slot = context.hosts.enter(configuration.url.origin) {}
        guard slot.limiter.quota(of: slot.user, now: context.hosts.now).connections > 0 else {
            leave(slot)
            return nil
        }
        return slot
    }

    /// Releases the slot.
    func leave(_ slot: ConnectionSlot) { context.hosts.leave(slot, configuration.url.origin) }

    /// Sends the request.
    func start(_ slot: ConnectionSlot) -> EarlyRequest {
        let hosts = context.hosts
        let report: @Sendable (Int) -> Void = { delivering in
            let use = HostUse(connections: 1, delivering: delivering, wanted: 1)
            slot.limiter.receive(.uses(use), of: slot.user, now: hosts.now)
        }
        report(0)
        let plan = EarlyRequest.plan(configuration)
        let response = ProbeResponseSink(plan, configuration) { report(1) }
        let requests = RequestBuilder(spec: spec, homes: [configuration.url], access: access, context: context)
        var request = requests.request(for: plan)
        request.staysOnEventLoop = true
        return EarlyRequest(plan: plan, response: response, handle: context.transport.start(request, sink: response))
    }

    /// Waits for the response, for a limited time.
    func watched(_ request: EarlyRequest, atMost limit: Duration? = nil) async {
        let end = began + min(Self.patience, configuration.transfer.patience() / 2, limit ?? Self.patience)
        let ticks = context.ticker.add { [response = request.response, clock = context.clock] in
            if clock.now >= end { response.settled.set() }
        }
        await request.response.settled.wait()
        context.ticker.remove(ticks)
    }
}
