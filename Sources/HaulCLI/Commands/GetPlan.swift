import Haul
package import HaulCore
package import Logging

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What `haul get` is to do: its options, all of them checked.
package struct GetPlan: Sendable {
    /// What every download has in common; the URL is empty.
    package var template: DownloadSpec
    /// The URLs of the command line, in order.
    package var urls: [String]
    /// The list, `-` for standard input, or nil.
    package var list: String?
    /// Metalinks, each a file or a URL; all of their files are downloaded.
    package var metalinks: [String] = []
    /// Downloads at a time.
    package var jobs: Int
    /// Bytes per second over all downloads, all day long, or nil.
    package var rateLimit: Int64?
    /// Bytes per second over all downloads by the time of day, or nil.
    package var rateSchedule: RateSchedule?
    /// The proxies, once `readSecrets` has looked for them.
    package var proxies = ProxySettings()
    /// What the options say of secrets and ways.
    package var network = NetworkPlan()
    /// Where the bytes go instead of a regular file, or nil.
    package var streamTarget: StreamTarget?
    /// How far ahead of the reader of standard output is fetched, in bytes.
    package var streamWindow = DownloadEngine.streamWindow
    /// How much is shown.
    package var verbosity = Verbosity.normal
    /// The file that lines are appended to, whatever is shown; or nil.
    package var logFile: String?
    /// Whether events go to standard output.
    package var json: Bool
    /// Whether what limited the downloads is told at the end.
    package var printsWhy = false
    /// Whether a record is left for `haul why`.
    package var keepsRecord = true
    /// What is logged.
    package var logLevel: Logger.Level

    /// The downloads, or nil where a list tells only at its end how many there are.
    package var expected: Int? { list == nil && metalinks.isEmpty ? urls.count : nil }
    /// Whether the bytes go to standard output, a pipe or a device instead of a regular file.
    package var streams: Bool { streamTarget != nil }
    /// Whether only errors are shown.
    package var quiet: Bool { verbosity == .quiet }

    /// Makes the plan of one URL with the documented defaults.
    package init(urls: [String], list: String? = nil) {
        template = DownloadSpec(url: "", destination: .folder(path: "."))
        self.urls = urls
        self.list = list
        jobs = 3
        json = false
        logLevel = .warning
    }
}

extension GetPlan {
    /// Checks the options of a command.
    ///
    /// - Parameter isPipeOrDevice: Whether a path is that of something that takes a stream of bytes.
    /// - Throws: `InvalidOptions` with one line for each that can't be used.
    init(
        source: SourceOptions, transfer: TransferOptions, output: OutputOptions, network: NetworkOptions,
        isPipeOrDevice: (String) -> Bool = OutputFile.isPipeOrDevice
    ) throws(InvalidOptions) {
        self.init(urls: source.urls, list: source.inputFiles.last)
        var problems = InvalidOptions()
        readSource(source, isPipeOrDevice, &problems)
        readTransfer(transfer, &problems)
        readStream(source, transfer, output, &problems)
        readHeaders(transfer, &problems)
        self.network.read(network, list: list, into: &template, &problems)
        readOutput(output, &problems)
        json = output.json
        printsWhy = output.why ?? false
        keepsRecord = output.why ?? true
        let level = output.logLevel.flatMap { text in
            problems.read("--log-level") { () throws(DownloadError) in
                try ChoiceArgument.parse(text, as: Logger.Level.self)
            }
        }
        logLevel = level ?? (quiet ? .error : .warning)
        if network.noProxy?.contains("://") == true {
            problems.add(
                "--no-proxy took the URL for its value: write --no-proxy LIST URL, or --proxy '' to use no proxy")
        }
        if source.urls.isEmpty, list == nil, metalinks.isEmpty {
            problems.addIfNone(Self.nothingToDownload(source, transfer))
        }
        guard problems.messages.isEmpty else { throw problems }
    }

    /// What to write if no URL was given, or an option has taken it for its value.
    private static func nothingToDownload(_ source: SourceOptions, _ transfer: TransferOptions) -> String {
        let values: [(String, String?)] = [
            ("-o FILE", source.output), ("-d FOLDER", source.directory), ("-H 'NAME: VALUE'", transfer.headers.last),
        ]
        guard let taker = values.first(where: { $0.1?.contains("://") == true })?.0 else {
            return "nothing to download: give a URL, or a list with --input-file"
        }
        return "nothing to download: \(taker.prefix(2)) used the URL as its value: write \(taker) URL"
    }

    private mutating func readOutput(_ options: OutputOptions, _ problems: inout InvalidOptions) {
        let level = options.verbosity.flatMap { text in
            problems.read("--verbosity") { () throws(DownloadError) in
                try ChoiceArgument.parse(text, as: Verbosity.self)
            }
        }
        if options.quiet, let level, level != .quiet {
            problems.add("--quiet and --verbosity cannot be combined")
        }
        verbosity = level ?? (options.quiet ? .quiet : .normal)
        logFile = options.logFile
        if logFile == "" || logFile == "-" { problems.add("--log-file: name a file") }
    }

    private mutating func readSource(
        _ options: SourceOptions, _ isPipeOrDevice: (String) -> Bool, _ problems: inout InvalidOptions
    ) {
        metalinks = options.metalinks
        if options.inputFiles.count > 1 { problems.add("--input-file names one list: give it once") }
        if DestinationArgument.isData(options.directory), !FileManager.default.fileExists(atPath: options.directory) {
            problems.add(
                "-d is the folder, and there is no such folder: curl's -d sends data, and Haul only downloads (GET); "
                    + "to create the folder, write ./ before its name")
        }
        do throws(URLPattern.Fault) {
            urls = try URLArgument.expanded(options.urls, isLiteral: options.globoff)
        } catch {
            problems.add(error.message, excerpt: error.excerpt)
            urls = []
        }
        template.usesLinkedMirrors = !options.noLinkedMirrors
        if metalinks.contains("") { problems.add("--metalink is empty: name a file or a URL") }
        for url in urls {
            _ = problems.read("") { () throws(DownloadError) in try SourceURL(parsing: url) }
        }
        let one = urls.count <= 1 && list == nil && metalinks.isEmpty
        readMirrors(options, one, &problems)
        if options.output != nil, !one {
            problems.add("--output names one file: give one URL with it, or use --directory for several")
        }
        if options.checksum != nil, !one {
            problems.add("--checksum is for one file: give one URL with it")
        }
        if one, options.output == "-" || options.output == "/dev/stdout" {
            streamTarget = .standardOutput
        } else {
            let destination = problems.read("") { () throws(DownloadError) in
                try DestinationArgument.parse(output: one ? options.output : nil, directory: options.directory)
            }
            if one, case .file(let path)? = destination, isPipeOrDevice(path) {
                streamTarget = .path(path)
            } else {
                template.destination = destination ?? template.destination
            }
        }
        template.checksum = options.checksum.flatMap { text in
            problems.read("--checksum") { () throws(DownloadError) in try Checksum(parsing: text) }
        }
        template.findsChecksum = options.findChecksum
        template.usesHeaderChecksum = !options.noHeaderChecksum
        template.verifiesExisting = options.verifyExisting
        template.onConflict =
            problems.read("--on-conflict") { () throws(DownloadError) in
                try ChoiceArgument.parse(options.onConflict, as: ConflictPolicy.self)
            } ?? template.onConflict
    }

    private mutating func readMirrors(_ options: SourceOptions, _ one: Bool, _ problems: inout InvalidOptions) {
        if !options.mirrors.isEmpty, !one || options.urls.isEmpty {
            problems.add(
                HabitHint.mirrorHint + (options.urls.isEmpty && list == nil ? "; \(HabitTable.notRecursive)" : ""))
        }
        for url in options.mirrors.map(URLArgument.completed) {
            _ = problems.read("--mirror") { () throws(DownloadError) in try SourceURL(parsing: url) }
            template.mirrors.append(DownloadSpec.Mirror(url: url))
        }
    }

    private mutating func readTransfer(_ options: TransferOptions, _ problems: inout InvalidOptions) {
        if URLArgument.looksLikeDownload(options.connections) { return problems.insist(HabitHint.connectionsHint) }
        template.connections =
            problems.read("--connections") { () throws(DownloadError) in
                try ConnectionsArgument(parsing: options.connections).limit
            } ?? template.connections
        jobs =
            problems.read("--jobs") { () throws(DownloadError) in
                try WholeNumber.parse(options.jobs, in: 1...256)
            } ?? jobs
        template.retries =
            problems.read("--retries") { () throws(DownloadError) in
                try WholeNumber.parse(options.retries, in: 0...1000)
            } ?? template.retries
        template.connectTimeout =
            problems.read("--connect-timeout") { () throws(DownloadError) in
                try SecondsArgument(parsing: options.connectTimeout).duration
            } ?? template.connectTimeout
        template.idleTimeout =
            problems.read("--idle-timeout") { () throws(DownloadError) in
                try SecondsArgument(parsing: options.idleTimeout).duration
            } ?? template.idleTimeout
        readLimits(options, &problems)
        let schedule = options.limitRate.flatMap { text in
            problems.read("--limit-rate") { () throws(DownloadError) in try RateSchedule(parsing: text) }
        }
        if let schedule, !schedule.parts.isEmpty { rateSchedule = schedule } else { rateLimit = schedule?.otherwise }
        template.range = options.range.flatMap { text in
            problems.read("--range") { () throws(DownloadError) in try RangeArgument(parsing: text).range }
        }
        template.partialFolder = options.partialFolder
        if options.partialFolder == "" { problems.add("--partial-folder is empty: name a folder") }
        template.resumes = !options.noResume
        if options.compressed, options.raw {
            problems.add("--compressed and --raw cannot be combined")
        }
        template.compression = options.raw ? .keep : options.compressed ? .request : .decode
        template.adoptsPartials = options.continues
        if options.continues, options.noResume {
            problems.add("--continue and --no-resume cannot be combined")
        }
        if options.continues, template.range != nil {
            problems.add(
                "--continue and --range cannot be combined: it is unknown which part of the file exists")
        }
        template.allowsDowngrade = options.allowDowngrade
        template.failsOnHTML = options.failOnHTML
    }

    private mutating func readLimits(_ options: TransferOptions, _ problems: inout InvalidOptions) {
        template.maxWait =
            problems.read("--max-wait") { () throws(DownloadError) in
                try SecondsArgument.limit(parsing: options.maxWait)
            } ?? nil
        template.maxTime = options.maxTime.flatMap { text in
            problems.read("--max-time") { () throws(DownloadError) in try SecondsArgument(parsing: text).duration }
        }
        template.minSpeed = options.minSpeed.flatMap { text in
            problems.read("--min-speed") { () throws(DownloadError) in try MinimumSpeedArgument(parsing: text).minimum }
        }
    }

    private mutating func readStream(
        _ source: SourceOptions, _ transfer: TransferOptions, _ output: OutputOptions, _ problems: inout InvalidOptions
    ) {
        streamWindow =
            transfer.streamWindow.flatMap { text in
                problems.read("--stream-window") { () throws(DownloadError) in try WindowArgument(parsing: text).bytes }
            } ?? streamWindow
        if transfer.streamWindow != nil, !streams {
            problems.add(
                "--stream-window is for standard output, a pipe or a device: give --output - with it")
        }
        guard streams else { return }
        if output.json, streamTarget == .standardOutput {
            problems.add("--json and --output - cannot be combined: both write to standard output")
        }
        if transfer.continues {
            problems.add("--continue and --output - cannot be combined: there is no file to resume")
        }
        if transfer.partialFolder != nil {
            problems.add("--partial-folder and --output - cannot be combined: there is no partial file")
        }
    }

    private mutating func readHeaders(_ options: TransferOptions, _ problems: inout InvalidOptions) {
        for (index, text) in options.headers.enumerated() {
            let option = options.headers.count == 1 ? "--header" : "--header number \(index + 1)"
            let header = problems.read(option) { () throws(DownloadError) in try HeaderArgument(parsing: text).header }
            if let header { template.headers.append(header) }
        }
        guard let agent = options.userAgent else { return }
        if template.headers.contains(where: { $0.name.lowercased() == "user-agent" }) {
            problems.add("--user-agent and --header 'User-Agent: …' cannot be combined")
        }
        let header = problems.read("--user-agent") { () throws(DownloadError) in
            try HeaderArgument(name: "User-Agent", value: agent).header
        }
        if let header { template.headers.append(header) }
    }
}
