package import HaulBatch
import HaulCore

/// The texts about shards.
package enum BatchText {
    /// Returns a table of all shards and of the hosts that are split.
    package static func table(_ plan: ShardPlan) -> String {
        var rows = [["SHARD", "ROWS", "HOSTS"]]
        for (shard, load) in plan.loads.enumerated() { rows.append(["\(shard)", "\(load)", "\(plan.hosts[shard])"]) }
        let widths = (0..<3).map { column in rows.map { $0[column].count }.max() ?? 0 }
        var text = ""
        for row in rows {
            let cells = row.enumerated().map { String(repeating: " ", count: widths[$0] - $1.count) + $1 }
            text += cells.joined(separator: "  ") + "\n"
        }
        for host in plan.split {
            let pieces = host.pieces.map { "\($0.shard) (\($0.limit) at a time)" }.joined(separator: ", ")
            text += "\(TerminalText.printable(host.host)): \(host.rows) rows, split over shards \(pieces)\n"
        }
        return text
    }

    /// Returns one JSON object per shard, then one per split host.
    package static func json(_ plan: ShardPlan) -> String {
        var text = ""
        for (shard, load) in plan.loads.enumerated() {
            text += #"{"shard":\#(shard),"rows":\#(load),"hosts":\#(plan.hosts[shard])}"# + "\n"
        }
        for host in plan.split {
            let pieces = host.pieces.map { #"{"shard":\#($0.shard),"perHost":\#($0.limit)}"# }.joined(separator: ",")
            text += #"{"host":\#(JSONText.quoted(host.host)),"rows":\#(host.rows),"pieces":[\#(pieces)]}"# + "\n"
        }
        return text
    }
}
