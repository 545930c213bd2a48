import HaulBatch
package import HaulBatchRun
package import HaulCore
import HaulLibC
import HaulOptions

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The checked options of `haul batch`.
package struct BatchPlan: Sendable {
    /// The kinds of runs.
    package enum Action: Hashable, Sendable {
        case fetch
        /// Print the shards.
        case plan
        /// Compare the folder with the manifest.
        case check(isDeep: Bool)
    }

    /// The kind of run.
    package private(set) var action = Action.fetch
    /// The job.
    package private(set) var job: BatchJob
    /// The connections, proxies and secrets.
    package private(set) var network = NetworkPlan()
    /// The maximum speed of all downloads of this process together; nil for none.
    package private(set) var rate: RateSchedule?
    /// True if only errors are shown.
    package let quiet: Bool
    /// True if reports go to standard output as JSON.
    package let json: Bool
    /// The file with statistics for Prometheus; nil for none.
    package let prometheus: String?
}

extension BatchPlan {
    /// The maximum number of downloads at a time.
    static let maxJobs = 4096

    /// Checks the options of a command.
    ///
    /// - Throws: `InvalidOptions` with one line for each that is not valid.
    init(
        _ command: BatchCommand, environment: [String: String] = ProcessEnvironment.all
    ) throws(InvalidOptions) {
        var problems = InvalidOptions()
        var template = DownloadSpec(url: "", destination: .folder(path: "."))
        template.transfer.maxWait = .seconds(60)
        let retries = RetryChoice(command.transfer.retryFailed, manifest: command.manifest)
        job = BatchJob(manifest: retries.manifest ?? "", folder: command.files.out ?? "", template: template)
        job.selection = retries.selection
        if let problem = retries.problem { problems.add(problem) }
        (quiet, json, prometheus) = (command.output.quiet, command.output.json, command.output.prometheus)
        readAction(command, &problems)
        readManifest(command.files, &problems)
        readShards(command.shards, environment, &problems)
        OptionLayer(flags: command.transfers.values, command.access.values)
            .apply(.get, to: &job.template, &problems)
        readTransfer(command.transfer, &problems)
        readFilters(command.filters, &problems)
        let options = OptionLayer(flags: command.network.values, command.credentials.values)
        network.readWays(options, job.template, &problems)
        network.readCredentials(
            options, list: job.manifest == "-" ? "-" : nil, spec: job.template, &problems)
        guard problems.messages.isEmpty else { throw problems }
    }

    private mutating func readAction(_ command: BatchCommand, _ problems: inout InvalidOptions) {
        let files = command.files
        if let folder = files.check {
            action = .check(isDeep: files.deep)
            job.folder = folder
            if files.out != nil { problems.add("--check and --out cannot be combined") }
        } else if command.shards.plan {
            action = .plan
        } else if job.folder.isEmpty {
            problems.add("--out is missing: name the folder for the parts")
        }
        for (option, folder) in [("--out", files.out), ("--check", files.check)] where folder?.contains("://") == true {
            problems.add(
                "\(option): haul batch writes into folders; for an object store use haul.batch of the Python package")
        }
        if files.deep, files.check == nil { problems.add("--deep requires --check") }
        if files.check != nil, command.shards.plan { problems.add("--check and --plan cannot be combined") }
        if prometheus == "" { problems.add("--prometheus is empty: name a file") }
    }

    private mutating func readManifest(_ options: BatchFileOptions, _ problems: inout InvalidOptions) {
        if let text = options.manifestFormat {
            job.format = problems.read("--manifest-format") { () throws(DownloadError) in
                try ChoiceArgument.parse(text, as: ManifestFormat.self)
            }
        }
        if let text = options.format {
            let format = problems.read("--format") { () throws(DownloadError) in
                try ChoiceArgument.parse(text, as: PartFormat.self)
            }
            job.output = format ?? .tar
        }
        job.columns = ManifestColumns(
            url: options.urlColumn ?? "url", id: options.idColumn ?? "id", requiresID: options.idColumn != nil,
            name: options.nameColumn)
        read(options.rowsPerPart, "--rows-per-part", 1...1_000_000, \.rowsPerPart, &problems)
    }

    private mutating func read(
        _ text: String?, _ option: String, _ range: ClosedRange<Int>, _ path: WritableKeyPath<BatchJob, Int>,
        _ problems: inout InvalidOptions
    ) {
        guard let text else { return }
        let value = problems.read(option) { () throws(DownloadError) in try WholeNumber.parse(text, in: range) }
        if let value { job[keyPath: path] = value }
    }

    private mutating func readShards(
        _ options: BatchShardOptions, _ environment: [String: String], _ problems: inout InvalidOptions
    ) {
        if let text = options.shardBy {
            let division = problems.read("--shard-by") { () throws(DownloadError) in
                try ChoiceArgument.parse(text, as: BatchJob.Division.self)
            }
            job.division = division ?? .host
        }
        if let text = options.shard {
            do throws(Shard.Fault) {
                job.shard = try Shard(parsing: text, environment: environment)
            } catch {
                problems.add("--shard: \(error.message)")
            }
        } else if options.plan {
            problems.add("--plan requires the number of shards: add --shard 0/N")
        }
        if let text = options.shardName {
            job.shardName = problems.read("--shard-name") { () throws(DownloadError) in
                try WholeNumber.parse(text, in: 0...Shard.maxCount - 1)
            }
            if options.shard != nil {
                problems.add("--shard-name and --shard cannot be combined: all rows are fetched")
            }
            if action != .fetch { problems.add("--shard-name is for downloads, not for --check or --plan") }
        }
        if job.manifest == "-", job.shard.count > 1, job.division == .host {
            problems.add(
                "--shard-by host reads the manifest twice: name a file, or use --shard-by row with standard input")
        }
    }

    private mutating func readTransfer(_ options: BatchTransferOptions, _ problems: inout InvalidOptions) {
        read(options.jobs, "--jobs", 1...Self.maxJobs, \.jobs, &problems)
        read(options.perHost, "--per-host", 1...1024, \.perHost, &problems)
        job.template.transfer.retries = 2
        if let text = options.retries {
            let retries = problems.read("--retries") { () throws(DownloadError) in
                try WholeNumber.parse(text, in: 0...1000)
            }
            if let retries { job.template.transfer.retries = retries }
        }
        rate = options.limitRate.flatMap { text in
            problems.read("--limit-rate") { () throws(DownloadError) in try RateSchedule(parsing: text) }
        }
        job.template.transfer.maxTime = .seconds(60)
        if let text = options.rowDeadline {
            job.template.transfer.maxTime =
                text == "unlimited"
                ? nil
                : problems.read("--row-deadline") { () throws(DownloadError) in
                    try SecondsArgument(parsing: text).duration
                }
        }
    }

    private mutating func readFilters(_ options: BatchFilterOptions, _ problems: inout InvalidOptions) {
        if let text = options.maxSize {
            job.rules.maxSize = problems.read("--max-size") { () throws(DownloadError) in
                try RateArgument(parsing: text).bytesPerSecond
            }
        }
        job.rules.accepted = Self.words(options.accept ?? "").map { $0.lowercased() }
        for type in job.rules.accepted where type.split(separator: "/", omittingEmptySubsequences: false).count != 2 {
            problems.add("--accept: \"\(type)\" is not a media type such as image/jpeg or image/*")
        }
        job.rules.disallowed = Set(Self.words(options.disallow ?? "").map { $0.lowercased() })
        job.followsRobotsText = options.robotsTxt
        let agent = job.template.access.headers.last { $0.name.lowercased() == "user-agent" }?.value ?? "haul"
        job.rules.agent = RobotsTag.name(ofAgent: agent)
    }

    static func words(_ text: String) -> [String] {
        text.split(whereSeparator: { $0 == "," || $0 == " " }).map(String.init)
    }
}
