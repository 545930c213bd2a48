import Foundation
import Haul
import HaulCore
import HaulServer
import HaulWire
import Testing

/// Prometheus' text format, read strictly: families in order, each with its help, its type and its samples.
struct MetricFamily {
    let name: String
    let type: String
    var samples: [(labels: String, value: Double)] = []

    /// The value of the only sample, or of the one with these labels.
    func value(_ labels: String = "") -> Double? { samples.first { $0.labels == labels }?.value }

    static func read(_ text: String) throws -> [String: MetricFamily] {
        #expect(text.hasSuffix("\n"))
        var families: [String: MetricFamily] = [:]
        var (helped, current): (String?, String?) = (nil, nil)
        for line in text.split(separator: "\n") {
            if let match = line.wholeMatch(of: #/# HELP ([a-z_]+) (.+)/#) {
                helped = String(match.1)
            } else if let match = line.wholeMatch(of: #/# TYPE ([a-z_]+) (counter|gauge)/#) {
                let name = String(match.1)
                #expect(helped == name && families[name] == nil, "\(line)")
                families[name] = MetricFamily(name: name, type: String(match.2))
                current = name
            } else {
                let match = try #require(
                    line.wholeMatch(of: #/([a-z_]+)(?:\{([a-z]+="(?:[^"\\\n]|\\[\\"n])*")\})? (\S+)/#), "\(line)")
                #expect(String(match.1) == current, "\(line)")
                let (labels, value) = (String(match.2 ?? ""), try #require(Double(match.3), "\(line)"))
                #expect(families[String(match.1)]?.value(labels) == nil, "a sample twice: \(line)")
                families[String(match.1)]?.samples.append((labels, value))
            }
        }
        for family in families.values {
            #expect(family.name.hasSuffix("_total") == (family.type == "counter"), "\(family.name)")
        }
        return families
    }
}

@Suite("Metrics")
struct MetricsTextTests {
    private func figures() -> DaemonFigures {
        let summary = SummaryMessage(
            DownloadSummary(counts: [.failed: 2], speed: 1.5, connections: 3), bytesLeft: 7, lastEvent: 9)
        var hosts = HostCounters(limit: 1)
        hosts.count(.retry, of: "h.example")
        hosts.count(.failure, of: "h.example")
        hosts.count(.failure, of: "other.example")
        let manager = ManagerFigures(
            receivedBytes: 1 << 40, finished: 4, failed: [.notFound: 2, .timedOut: 1], hosts: hosts, hookFailures: 5,
            list: ManagerFigures.ListSize(bytes: 4096, freeBytes: 1024, logBytes: 2048))
        return DaemonFigures(
            summary: summary, manager: manager,
            roots: [
                RootSpace(path: "/a\\\"b\nc", space: RootSpace.Space(free: 5, size: 10)),
                RootSpace(path: "/d", space: nil),
            ], obstacles: 1, webhook: WebhookCounters(), process: ProcessFigures(started: Date()), version: "1.2.3")
    }

    @Test("every figure is written with its help and type, in Prometheus' format")
    func text() throws {
        let families = try MetricFamily.read(MetricsText(figures()).text)
        func value(_ name: String, _ labels: String = "") -> Double? { families[name]?.value(labels) }
        #expect(value("haul_build_info", "version=\"1.2.3\"") == 1 && value("haul_ready") == 0)
        #expect(value("haul_downloads", "state=\"failed\"") == 2 && value("haul_downloads", "state=\"running\"") == 0)
        #expect(value("haul_speed_bytes_per_second") == 1.5 && value("haul_connections") == 3)
        #expect(value("haul_bytes_left") == 7 && value("haul_events_total") == 9)
        #expect(value("haul_received_bytes_total") == 1_099_511_627_776 && value("haul_downloads_finished_total") == 4)
        #expect(value("haul_downloads_failed_total", "code=\"notFound\"") == 2)
        #expect(families["haul_downloads_failed_total"]?.samples.count == DownloadError.Code.allCases.count)
        #expect(value("haul_host_retries_total", "host=\"h.example\"") == 1)
        #expect(value("haul_host_failures_total", "host=\"h.example\"") == 1)
        #expect(value("haul_host_failures_total", "host=\"other\"") == 1)
        #expect(value("haul_hook_failures_total") == 5 && value("haul_list_bytes") == 4096)
        #expect(value("haul_list_free_bytes") == 1024 && value("haul_list_log_bytes") == 2048)
        #expect(value("haul_webhook_failures_total") == 0 && value("haul_webhook_dropped_total") == 0)
        let root = #"root="/a\\\"b\nc""#
        #expect(value("haul_root_free_bytes", root) == 5 && value("haul_root_size_bytes", root) == 10)
        #expect(families["haul_root_free_bytes"]?.samples.count == 1)
    }

    @Test("the alerts of the documentation name metrics that exist, and join them by labels that both have")
    func alerts() throws {
        let here = URL(filePath: #filePath)
        let file = here.deletingLastPathComponent().appending(path: "../../../docs/operations.md")
        let page = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(page.firstRange(of: "- alert:")).lowerBound
        let end = try #require(page[start...].firstRange(of: "```")).lowerBound
        let text = page[start..<end]
        let families = try MetricFamily.read(MetricsText(figures()).text)
        let names = text.matches(of: /(?:haul|process)_[a-z_]+/).map { String($0.output) }
        #expect(names.count > 10)
        for name in names { #expect(families[name] != nil, "\(name)") }
        // Without it, `and` joins samples with equal labels only: state="waiting" never meets state="running".
        let joins = text.matches(of: /\band\b(?! ignoring\(| on\().*/).map { String($0.output) }
        #expect(text.contains(" and ") && joins.isEmpty, "\(joins)")
    }

    @Test("without a webhook, a list in a file or a known process, their metrics are left out")
    func absent() throws {
        var figures = figures()
        (figures.webhook, figures.process) = (nil, nil)
        figures.manager?.list = nil
        let names = Set(try MetricFamily.read(MetricsText(figures).text).keys)
        #expect(names.isDisjoint(with: ["haul_webhook_failures_total", "haul_list_bytes", "process_open_fds"]))
    }

    @Test("the process has the names and units of Prometheus' client libraries")
    func process() throws {
        let before = Date()
        let families = try MetricFamily.read(MetricsText(figures()).text)
        let start = try #require(families["process_start_time_seconds"]?.value())
        #expect(abs(start - before.timeIntervalSince1970) < 10)
        let seconds = try #require(families["process_cpu_seconds_total"]?.value())
        #expect(seconds > 0)
        let open = try #require(families["process_open_fds"]?.value())
        let limit = try #require(families["process_max_fds"]?.value())
        #expect(open >= 3 && open <= limit)
        // Between a MiB and a few TiB: sanitizers reserve much.
        for name in ["process_resident_memory_bytes", "process_virtual_memory_bytes"] {
            let bytes = try #require(families[name]?.value())
            #expect((1_048_576.0...1e15).contains(bytes), "\(name)")
        }
    }
}
