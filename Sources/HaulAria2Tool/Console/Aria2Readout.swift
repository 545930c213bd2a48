import HaulAria2
package import HaulCore

/// The progress line of the downloads: `[#2089b0 1.0MiB/10MiB(10%) CN:5 DL:1.1MiB ETA:8s]`.
package struct Aria2Readout: Sendable {
    private let running: [DownloadSnapshot]
    private let speed: Double
    private let isReadable: Bool

    /// Creates the line for the running downloads.
    package init(_ running: [DownloadSnapshot], speed: Double, isReadable: Bool = true) {
        self.running = running
        self.speed = speed
        self.isReadable = isReadable
    }

    /// The line; empty if nothing is running.
    package var text: String {
        guard let first = running.first else { return "" }
        guard running.count > 1 else { return "[" + whole(first) + "]" }
        let shown = running.prefix(Self.maxShown).map { "[" + short($0) + "]" }.joined()
        let more = running.count - Self.maxShown
        return "[DL:\(amount(speed))]" + shown + (more > 0 ? "(+\(more))" : "")
    }

    /// Returns a block with all downloads and their files; empty if nothing is running.
    package func summary(at time: String) -> String {
        guard !running.isEmpty else { return "" }
        let (head, foot) = (String(repeating: "=", count: 79), String(repeating: "-", count: 79))
        let blocks = running.map { snapshot in
            let place = snapshot.path ?? URLRedaction.shown(snapshot.spec.url)
            return "[\(whole(snapshot))]\nFILE: \(TerminalText.printable(place))\n\(foot)\n"
        }
        return "\n *** Download Progress Summary as of \(time) ***\n\(head)\n\(blocks.joined())\n"
    }

    private static let maxShown = 5

    private func short(_ snapshot: DownloadSnapshot) -> String {
        "#\(GID(of: snapshot).short) " + size(snapshot.progress)
    }

    private func whole(_ snapshot: DownloadSnapshot) -> String {
        let progress = snapshot.progress
        var text = short(snapshot) + " CN:\(progress.connections) DL:\(amount(progress.speed))"
        // A longer time is not informative, and larger numbers might not fit `Int64`.
        if let left = progress.secondsLeft, left >= 0, left < 1e9 { text += " ETA:\(Aria2Amount.time(Int64(left)))" }
        return text
    }

    private func size(_ progress: TransferProgress) -> String {
        let total = progress.totalBytes ?? 0
        let text = bytes(progress.fileBytes) + "/" + bytes(total)
        guard total > 0, let fraction = progress.fraction else { return text }
        return text + "(\(Int(fraction * 100))%)"
    }

    private func bytes(_ count: Int64) -> String { Aria2Amount.bytes(count, isReadable: isReadable) }
    private func amount(_ speed: Double) -> String { bytes(Int64(exactly: speed.rounded()) ?? 0) }
}
