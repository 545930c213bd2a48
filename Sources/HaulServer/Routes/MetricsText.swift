package import HaulWire

/// Metrics in Prometheus' text format, version 0.0.4.
package enum MetricsText {
    /// Returns the metrics of a summary.
    package static func text(_ summary: SummaryMessage, version: String) -> String {
        var text = ""
        func add(_ name: String, _ help: String, _ kind: String, _ samples: [(labels: String, value: String)]) {
            text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
            for sample in samples { text += "\(name)\(sample.labels) \(sample.value)\n" }
        }
        add(
            "haul_downloads", "Downloads by state.", "gauge",
            summary.counts.sorted { $0.key < $1.key }.map { ("{state=\"\($0.key)\"}", String($0.value)) })
        add("haul_speed_bytes", "Bytes per second of all running downloads.", "gauge", [("", String(summary.speed))])
        add("haul_connections", "Active connections.", "gauge", [("", String(summary.connections))])
        add(
            "haul_bytes_left", "Bytes left of the running downloads.", "gauge",
            [("", String(summary.bytesLeft))])
        add(
            "haul_events_total", "State events since the list was created.", "counter",
            [("", String(summary.lastEvent))])
        add("haul_info", "The daemon.", "gauge", [("{version=\"\(version)\"}", "1")])
        return text
    }
}
