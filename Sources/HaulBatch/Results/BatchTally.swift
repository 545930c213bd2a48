/// The numbers of a run.
package struct BatchTally: Hashable, Sendable {
    /// Rows that are in parts with the file.
    package private(set) var ok: Int64 = 0
    /// Rows that failed, by code.
    package private(set) var failed: [String: Int64] = [:]
    /// Rows that were refused, by code.
    package private(set) var refused: [String: Int64] = [:]
    /// The bytes of all files.
    package private(set) var bytes: Int64 = 0
    /// Rows that earlier runs have recorded.
    package var earlier: Int64 = 0
    /// Rows whose id occurred before in the manifest.
    package var repeated: Int64 = 0
    /// The rows of the shard, as far as they are known.
    package var estimate = RowEstimate()
    /// The failed rows of each host, of at most 1,000 hosts.
    package private(set) var failedHosts: [String: Int64] = [:]

    private static let maxHosts = 1000

    /// Creates an empty tally.
    package init() {}

    /// The number of rows that this run has recorded.
    package var rows: Int64 { ok + failed.values.reduce(0, +) + refused.values.reduce(0, +) }
    /// The number of rows that need nothing more.
    package var done: Int64 { rows + earlier + repeated }
    /// The number of failed rows.
    package var failedRows: Int64 { failed.values.reduce(0, +) }
    /// The number of refused rows.
    package var refusedRows: Int64 { refused.values.reduce(0, +) }

    /// Counts a result.
    package mutating func count(_ state: RowState, error: String?, bytes size: Int64?, host: String) {
        switch state {
        case .ok:
            ok += 1
            bytes += size ?? 0
        case .failed:
            failed[error ?? "unknown", default: 0] += 1
            if failedHosts.count < Self.maxHosts || failedHosts[host] != nil { failedHosts[host, default: 0] += 1 }
        case .refused: refused[error ?? "unknown", default: 0] += 1
        }
    }

    /// The hosts with the most failed rows.
    package var worstHosts: [(host: String, rows: Int64)] {
        failedHosts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.prefix(5).map { ($0.key, $0.value) }
    }
}

/// A tally at a time, and the rates since the one before it.
package struct BatchReport: Hashable, Sendable {
    /// The numbers.
    package var tally: BatchTally
    /// The time since the start, in seconds.
    package var seconds: Double
    /// Rows per second, over the time since the last report.
    package var rowRate: Double
    /// Bytes per second, over the time since the last report.
    package var byteRate: Double
    /// True for the last report of a run; its rates are those of the whole run.
    package var isFinal: Bool

    /// Creates a report from a tally and an earlier one.
    package init(
        _ tally: BatchTally, at seconds: Double, since last: (tally: BatchTally, seconds: Double), isFinal: Bool
    ) {
        (self.tally, self.seconds, self.isFinal) = (tally, seconds, isFinal)
        let passed = max(0.001, seconds - last.seconds)
        rowRate = Double(tally.rows - last.tally.rows) / passed
        byteRate = Double(tally.bytes - last.tally.bytes) / passed
    }
}

// MARK: - Texts

extension BatchReport {
    /// The report as one JSON object, without a line break.
    package var json: String {
        let states = #""ok":\#(tally.ok),"failed":\#(tally.failedRows),"refused":\#(tally.refusedRows)"#
        let rates =
            #""seconds":\#(Self.number(seconds)),"rows_per_second":\#(Self.number(rowRate)),"#
            + #""bytes_per_second":\#(Self.number(byteRate)),"bytes":\#(tally.bytes)"#
        let others = #""earlier":\#(tally.earlier),"repeated":\#(tally.repeated)"#
        let causes = #""failed_by":\#(Self.object(tally.failed)),"refused_by":\#(Self.object(tally.refused))"#
        let hosts = tally.worstHosts.map { "\(JSONText.quoted($0.host)):\($0.rows)" }.joined(separator: ",")
        return #"{"event":"\#(isFinal ? "ended" : "progress")",\#(states),\#(rates),\#(others),\#(causes),"#
            + #""failed_hosts":{\#(hosts)}}"#
    }

    /// The report in the text format of Prometheus.
    package func prometheus(shard: Shard) -> String {
        let label = #"shard="\#(shard.index)""#
        var lines: [String] = []
        func metric(_ name: String, _ type: String, _ help: String, _ values: [(labels: String, value: String)]) {
            lines.append("# HELP haul_batch_\(name) \(help)")
            lines.append("# TYPE haul_batch_\(name) \(type)")
            for value in values { lines.append("haul_batch_\(name){\(value.labels)} \(value.value)") }
        }
        let rows =
            [(#"\#(label),state="ok",error="""#, "\(tally.ok)")]
            + tally.failed.sorted { $0.key < $1.key }.map {
                (#"\#(label),state="failed",error="\#($0.key)""#, "\($0.value)")
            }
            + tally.refused.sorted { $0.key < $1.key }.map {
                (#"\#(label),state="refused",error="\#($0.key)""#, "\($0.value)")
            }
        metric("rows_total", "counter", "Rows recorded by this run.", rows)
        metric("bytes_total", "counter", "Bytes of the files of this run.", [(label, "\(tally.bytes)")])
        metric("earlier_rows", "gauge", "Rows that earlier runs have recorded.", [(label, "\(tally.earlier)")])
        metric("rows_per_second", "gauge", "Rows per second.", [(label, Self.number(rowRate))])
        metric("bytes_per_second", "gauge", "Bytes per second.", [(label, Self.number(byteRate))])
        metric("seconds", "gauge", "Seconds since the start of this run.", [(label, Self.number(seconds))])
        metric("ended", "gauge", "1 once the run has ended.", [(label, isFinal ? "1" : "0")])
        return lines.joined(separator: "\n") + "\n"
    }

    /// The report as a line for people.
    package var line: String {
        var text = "\(tally.rows) rows: \(tally.ok) ok"
        if tally.failedRows > 0 { text += ", \(tally.failedRows) failed (\(Self.causes(tally.failed)))" }
        if tally.refusedRows > 0 { text += ", \(tally.refusedRows) refused (\(Self.causes(tally.refused)))" }
        if tally.earlier > 0 { text += ", \(tally.earlier) recorded earlier" }
        if tally.repeated > 0 { text += ", \(tally.repeated) repeated ids left out" }
        return text + "; \(Int(rowRate.rounded())) rows/s, \(Self.size(byteRate))/s"
    }

    private static func causes(_ codes: [String: Int64]) -> String {
        codes.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    private static func object(_ codes: [String: Int64]) -> String {
        "{" + codes.sorted { $0.key < $1.key }.map { "\(JSONText.quoted($0.key)):\($0.value)" }.joined(separator: ",")
            + "}"
    }

    /// Returns a number with one digit after the point.
    private static func number(_ value: Double) -> String {
        let tenths = Int64((max(0, min(value, 1e15)) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func size(_ bytes: Double) -> String {
        var (value, unit) = (bytes, "B")
        for next in ["KiB", "MiB", "GiB"] where value >= 1024 { (value, unit) = (value / 1024, next) }
        return "\(number(value)) \(unit)"
    }
}
