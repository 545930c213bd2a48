import Haul
import HaulCore
import Logging
import NIOCore
import ServiceLifecycle

/// The receivers of events, besides clients: a webhook, and the desktop, whose user may respond.
struct DaemonMessengers: Sendable {
    /// The sender of the webhook; nil if there is none.
    let webhook: WebhookSender?
    private let choices: AsyncStream<NotificationChoice>?
    private let notifier: FreedesktopNotifier?
    private let logger: Logger

    /// Makes the receivers; nothing is sent yet.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the webhook's secret or proxy can't be used.
    init(
        _ configuration: DaemonConfiguration, environment: [String: String], logger: Logger
    ) throws(DownloadError) {
        self.logger = logger
        webhook = try configuration.webhook.map { settings throws(DownloadError) in
            let policy = WebhookPolicy()
            let client = try WebhookClient(
                settings, timeout: policy.timeout, proxies: try configuration.proxies(environment: environment),
                caCertificatePath: configuration.caCertificatePath ?? UsualCertificates.path(in: environment))
            let secret = try settings.secretPath.map { path throws(DownloadError) in try WebhookSecret(path: path) }
            return WebhookSender(settings, secret: secret, client: client, policy: policy, logger: logger)
        }
        guard configuration.notifies else {
            (choices, notifier) = (nil, nil)
            return
        }
        let (choices, choose) = AsyncStream.makeStream(
            of: NotificationChoice.self, bufferingPolicy: .bufferingOldest(16))
        self.choices = choices
        notifier = FreedesktopNotifier(
            environment: environment,
            choosing: FreedesktopNotifier.Choosing { choose.yield(NotificationChoice(action: $0, at: $1)) })
    }

    /// Registers the receivers with a manager.
    func listen(to configuration: inout ManagerConfiguration) {
        configuration.notifier = notifier
        configuration.listener = webhook?.listener
    }

    /// Returns the services that run for them: the webhook first, so that it stops last.
    func services(_ manager: DownloadManager, _ environment: [String: String], _ group: any EventLoopGroup)
        -> [any Service]
    {
        let reporting = webhook.map { WebhookService(sender: $0, group: group) as any Service }
        let subscription = choices.map {
            NotificationService(
                choices: $0, manager: manager, opener: FileOpener(environment: environment), logger: logger)
                as any Service
        }
        return [reporting, subscription].compactMap(\.self)
    }
}
