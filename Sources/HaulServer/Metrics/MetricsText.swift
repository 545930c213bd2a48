package import Haul
import HaulCore
package import HaulWire

/// The figures of a daemon, for Prometheus.
package struct DaemonFigures: Sendable {
    /// The downloads by state, and their speed.
    package var summary: SummaryMessage
    /// The counters since the start; nil if the manager has none.
    package var manager: ManagerFigures?
    /// The disks of the roots.
    package var roots: [RootSpace]
    /// The reasons why the daemon is not ready.
    package var obstacles: Int
    /// The messages to the webhook; nil if there is none.
    package var webhook: WebhookCounters?
    /// The process; nil if the system does not say.
    package var process: ProcessFigures?
    /// Haul's version.
    package var version: String

    /// Makes the figures.
    package init(
        summary: SummaryMessage, manager: ManagerFigures?, roots: [RootSpace], obstacles: Int,
        webhook: WebhookCounters?, process: ProcessFigures?, version: String
    ) {
        (self.summary, self.manager, self.roots) = (summary, manager, roots)
        (self.obstacles, self.webhook, self.process, self.version) = (obstacles, webhook, process, version)
    }
}

/// Metrics in Prometheus' text format, version 0.0.4.
package struct MetricsText: Sendable {
    /// The media type.
    package static let type = "text/plain; version=0.0.4; charset=utf-8"

    /// The kinds of metrics that Haul has.
    private enum Kind: String { case counter, gauge }

    /// The text.
    package private(set) var text = ""

    /// Writes the figures of a daemon.
    package init(_ figures: DaemonFigures) {
        add("haul_build_info", "Haul's version.", .gauge, samples: [("version", figures.version, "1")])
        add("haul_ready", "1 if the daemon is ready, see /ready.", .gauge, value: figures.obstacles == 0 ? 1 : 0)
        add(figures.summary)
        if let manager = figures.manager { add(manager) }
        add(figures.roots)
        if let webhook = figures.webhook {
            add(
                "haul_webhook_failures_total", "Webhook messages that were not delivered.", .counter,
                value: webhook.failed)
            add(
                "haul_webhook_dropped_total", "Webhook messages dropped from a full queue.", .counter,
                value: webhook.dropped)
        }
        if let process = figures.process { add(process) }
    }

    private mutating func add(_ summary: SummaryMessage) {
        add(
            "haul_downloads", "Downloads in the list by state.", .gauge,
            samples: summary.counts.sorted { $0.key < $1.key }.map { ("state", $0.key, String($0.value)) })
        add("haul_speed_bytes_per_second", "Speed of all running downloads.", .gauge, value: summary.speed)
        add("haul_connections", "Active connections of downloads.", .gauge, value: summary.connections)
        add(
            "haul_bytes_left", "Bytes that the running downloads still have to fetch.", .gauge, value: summary.bytesLeft
        )
        add("haul_events_total", "State events since the list was created.", .counter, value: summary.lastEvent)
    }

    private mutating func add(_ manager: ManagerFigures) {
        add("haul_received_bytes_total", "Bytes received by downloads.", .counter, value: manager.receivedBytes)
        add("haul_downloads_finished_total", "Downloads that finished.", .counter, value: manager.finished)
        // All codes from the start: a rate needs the 0 before the first failure.
        add(
            "haul_downloads_failed_total", "Downloads that failed, by the code of the error.", .counter,
            samples: DownloadError.Code.allCases.map { ("code", $0.rawValue, String(manager.failed[$0] ?? 0)) })
        let hosts = manager.hosts.numbers
        add(
            "haul_host_retries_total", "Failed attempts that were or will be retried, by host.", .counter,
            samples: hosts.map { ("host", $0.host, String($0.numbers.retries)) })
        add(
            "haul_host_failures_total", "Downloads that failed, by host.", .counter,
            samples: hosts.map { ("host", $0.host, String($0.numbers.failures)) })
        add(
            "haul_hook_failures_total", "Hook commands that failed or were dropped.", .counter,
            value: manager.hookFailures)
        if let list = manager.list {
            add("haul_list_bytes", "Size of the list's database.", .gauge, value: list.bytes)
            add("haul_list_free_bytes", "Part of the list's database that is free.", .gauge, value: list.freeBytes)
            add("haul_list_log_bytes", "Size of the list's write-ahead log.", .gauge, value: list.logBytes)
        }
    }

    private mutating func add(_ roots: [RootSpace]) {
        func samples(_ value: (RootSpace.Space) -> Int64) -> [(String, String, String)] {
            roots.compactMap { root in root.space.map { ("root", root.path, String(value($0))) } }
        }
        add(
            "haul_root_free_bytes", "Bytes free for the daemon on the disk of a root.", .gauge, samples: samples(\.free)
        )
        add("haul_root_size_bytes", "Size of the disk of a root.", .gauge, samples: samples(\.size))
    }

    private mutating func add(_ process: ProcessFigures) {
        add("process_cpu_seconds_total", "User and system time spent in seconds.", .counter, value: process.cpuSeconds)
        add(
            "process_start_time_seconds", "Start time since the Unix epoch in seconds.", .gauge,
            value: process.startTime)
        let sizes: [(String, String, Int64?)] = [
            ("process_resident_memory_bytes", "Resident memory size in bytes.", process.residentBytes),
            ("process_virtual_memory_bytes", "Virtual memory size in bytes.", process.virtualBytes),
            ("process_open_fds", "Number of open file descriptors.", process.openFiles),
            ("process_max_fds", "Maximum number of open file descriptors.", process.maxFiles),
        ]
        for case let (name, help, value?) in sizes { add(name, help, .gauge, value: value) }
    }

    private mutating func add(_ name: String, _ help: String, _ kind: Kind, value: some CustomStringConvertible) {
        begin(name, help, kind)
        text += "\(name) \(value)\n"
    }

    private mutating func add(
        _ name: String, _ help: String, _ kind: Kind, samples: [(String, String, String)]
    ) {
        begin(name, help, kind)
        for (label, value, number) in samples { text += "\(name){\(label)=\"\(Self.escaped(value))\"} \(number)\n" }
    }

    private mutating func begin(_ name: String, _ help: String, _ kind: Kind) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Escapes the value of a label (Prometheus, "Text-based format").
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
