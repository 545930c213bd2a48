import ArgumentParser
import Haul
import HaulClient
import HaulCore
import HaulWire

/// The downloads that `haul add` adds, with all options checked.
struct AddPlan: Sendable {
    /// The downloads, and their common options.
    var plan: GetPlan
    /// True if a folder was given; otherwise the daemon's default folder is used.
    let hasFolder: Bool

    /// Checks the options, using those of `haul get` with the same meaning.
    init(_ files: AddedFiles, _ transfer: AddedTransfer, _ queueing: AddedQueueing) throws {
        var source = try SourceOptions.parse([])
        (source.urls, source.output, source.inputFiles) = (files.urls, files.output, files.inputFiles)
        (source.directory, source.mirrors, source.checksum) = (files.directory ?? ".", files.mirrors, files.checksum)
        source.globoff = files.globoff
        (source.onConflict, source.findChecksum) = (files.onConflict, files.findChecksum)
        var how = try TransferOptions.parse([])
        (how.connections, how.headers, how.userAgent) = (transfer.connections, transfer.headers, transfer.userAgent)
        (how.retries, how.continues) = (transfer.retries, files.continues)
        (how.maxWait, how.maxTime, how.minSpeed) = (transfer.maxWait, transfer.maxTime, transfer.minSpeed)
        var network = try NetworkOptions.parse([])
        (network.user, network.passwordFile) = (transfer.user, transfer.passwordFile)
        (network.bearerFile, network.insecure) = (transfer.bearerFile, transfer.insecure)
        plan = try GetPlan(
            source: source, transfer: how, output: try OutputOptions.parse([]), network: network,
            isPipeOrDevice: { _ in false })
        hasFolder = files.directory != nil
        var problems = InvalidOptions()
        if plan.streams { problems.add("the daemon cannot write to standard output (--output -): use haul get") }
        if queueing.key != nil, plan.expected != 1 { problems.add("--key is for one download: give one URL with it") }
        plan.template.key = queueing.key
        plan.template.group = queueing.group
        plan.template.tags = Set(queueing.tags)
        (plan.template.startsPaused, plan.template.startsAtOnce) = (queueing.paused, queueing.now)
        plan.template.priority =
            problems.read("--priority") { () throws(DownloadError) in try PriorityArgument.parse(queueing.priority) }
            ?? 0
        plan.template.rateLimit = transfer.limitRate.flatMap { text in
            problems.read("--limit-rate") { () throws(DownloadError) in try RateArgument(parsing: text).bytesPerSecond }
        }
        if let text = queueing.notBefore {
            plan.template.notBefore = WireJSON.date(text)
            if plan.template.notBefore == nil {
                problems.add("--not-before: expected a time such as 2026-01-31T12:00:00Z")
            }
        }
        guard problems.messages.isEmpty else { throw problems }
    }

    /// Returns the request to the daemon; if no folder was given, relative paths are below the daemon's default folder.
    func request(_ spec: DownloadSpec) throws(DownloadError) -> DownloadRequest {
        var request = try DownloadRequest(sending: spec)
        guard !hasFolder else { return request }
        let (path, folder) =
            switch spec.destination {
            case .folder(let path), .hashed(let path): (path, path.pathComponents[...])
            case .file(let path): (path, path.pathComponents.dropLast())
            }
        // `.` alone means no folder; a path that begins with `./` is relative to the current folder, as in a shell.
        guard !path.hasPrefix("/"), !path.hasPrefix("./"), path.pathComponents.first != ".." else {
            return request
        }
        request.folder = path == "." || folder.isEmpty ? nil : folder.joined(separator: "/")
        return request
    }
}
