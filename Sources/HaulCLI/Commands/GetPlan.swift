import Haul
package import HaulCore
import HaulOptions
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
    /// The options for single hosts.
    package var hosts = HostSettings()
    /// The URLs of the command line, in order.
    package var urls: [String]
    /// The number of URLs that were left out because they were given before.
    package var repeatedURLs = 0
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
    /// Whether a download waits while there is no network.
    package var waitsForNetwork = false
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
    /// - Parameter isPipeOrDevice: Returns true if a path is that of something that takes a stream of bytes.
    /// - Throws: `InvalidOptions` with one line for each that can't be used.
    init(
        _ arguments: DownloadArguments, isPipeOrDevice: (String) -> Bool = OutputFile.isPipeOrDevice
    ) throws(InvalidOptions) {
        let options = arguments.options
        self.init(urls: arguments.urls, list: options.text("input-file"))
        template.transfer.maxWait = .seconds(60)
        metalinks = options.texts("metalink")
        var problems = InvalidOptions(places: arguments.settings.places)
        if metalinks.contains("") { problems.add("--metalink is empty: name a file or a URL") }
        readSource(arguments, isPipeOrDevice: isPipeOrDevice, &problems)
        readTable(arguments, .get, &problems)
        checkSource(arguments, &problems)
        readTransfer(options, &problems)
        readStream(arguments, &problems)
        network.readWays(options, template, &problems)
        readUser(options)
        network.readCredentials(options, list: list, spec: template, &problems)
        readOutput(options, &problems)
        json = options.contains("json")
        printsWhy = options.text("why") == "true"
        keepsRecord = options.text("why") != "false"
        let level = options.text("log-level").flatMap { text in
            problems.read("--log-level") { () throws(DownloadError) in
                try ChoiceArgument.parse(text, as: Logger.Level.self)
            }
        }
        logLevel = level ?? (quiet ? .error : .warning)
        if network.noProxy?.contains(bytes: "://") == true {
            problems.add(
                "--no-proxy took the URL for its value: write --no-proxy LIST URL, or --proxy '' to use no proxy")
        }
        if arguments.urls.isEmpty, list == nil, metalinks.isEmpty {
            problems.addIfNone(Self.nothingToDownload(arguments))
        }
        guard problems.messages.isEmpty else { throw problems }
    }

    /// Reads the options of the table: those of the file, of the environment, and of the command line.
    mutating func readTable(
        _ arguments: DownloadArguments, _ scope: DownloadOption.Scope, _ problems: inout InvalidOptions
    ) {
        let (given, settings) = (arguments.properties, arguments.settings)
        if let text = given.text("connections"), URLArgument.looksLikeDownload(text) {
            return problems.insist(HabitHint.connectionsHint)
        }
        let commandLine = arguments.commandLine
        let environment = settings.environment.overridden(by: commandLine)
        settings.file.overridden(by: commandLine).overridden(by: settings.environment)
            .apply(scope, to: &template, &problems)
        environment.apply(scope, to: &template, &problems)
        given.apply(scope, to: &template, &problems)
        // An option of all downloads together, such as the limit of `haul get`, does not replace that of a host.
        let single = environment.filter { OptionTable.named($0)?.scope.contains(scope) == true }
        var all = environment
        all.merge(commandLine)
        hosts = HostSettings(settings.hosts, scope, above: [single, given], given: all)
        if given.values["header"]?.contains(where: { $0.text.lowercased().hasPrefix("accept-encoding:") }) == true {
            problems.add("--header Accept-Encoding: write --compressed, or --raw to save the file as it is sent")
        }
        let excluded = [
            ("compressed", "raw", ""), ("continue", "no-resume", ""),
            ("continue", "range", ": it is unknown which part of the file exists"),
        ]
        for (one, other, reason) in excluded where given.contains(one) && given.contains(other) {
            problems.add("--\(one) and --\(other) cannot be combined\(reason)")
        }
        if given.contains("user-agent"),
            given.values["header"]?.contains(where: { $0.text.lowercased().hasPrefix("user-agent:") }) == true
        {
            problems.add("--user-agent and --header 'User-Agent: …' cannot be combined")
        }
    }

    /// Takes the user name of the only URL, if a password file is given for it.
    mutating func readUser(_ options: OptionLayer) {
        guard options.contains("password-file"), template.access.user == nil, urls.count == 1,
            let credentials = (try? SourceURL(parsing: urls[0]))?.credentials, credentials.password.isEmpty
        else { return }
        template.access.user = credentials.user
    }

    /// What to write if no URL was given, or an option has taken it for its value.
    static func nothingToDownload(_ arguments: DownloadArguments) -> String {
        let values: [(String, String?)] = [
            ("-o FILE", arguments.options.text("output")), ("-d FOLDER", arguments.options.text("directory")),
            ("-H 'NAME: VALUE'", arguments.properties.text("header")),
        ]
        guard let taker = values.first(where: { $0.1?.contains("://") == true })?.0 else {
            return "nothing to download: give a URL, or a list with --input-file"
        }
        return "nothing to download: \(taker.prefix(2)) used the URL as its value: write \(taker) URL"
    }

    private mutating func readOutput(_ options: OptionLayer, _ problems: inout InvalidOptions) {
        let level = options.text("verbosity").flatMap { text in
            problems.read("--verbosity") { () throws(DownloadError) in
                try ChoiceArgument.parse(text, as: Verbosity.self)
            }
        }
        let isQuiet = options.contains("quiet")
        if isQuiet, let level, level != .quiet {
            problems.add("--quiet and --verbosity cannot be combined")
        }
        verbosity = level ?? (isQuiet ? .quiet : .normal)
        logFile = options.text("log-file")
        if logFile == "" || logFile == "-" { problems.add("--log-file: name a file") }
    }

    /// Reads the URLs, mirrors and the destination.
    mutating func readSource(
        _ arguments: DownloadArguments, isPipeOrDevice: (String) -> Bool, _ problems: inout InvalidOptions
    ) {
        let options = arguments.options
        let (output, directory) = (options.text("output"), options.text("directory") ?? ".")
        if options.texts("input-file").count > 1 { problems.add("--input-file names one list: give it once") }
        if DestinationArgument.isData(directory), !FileManager.default.fileExists(atPath: directory) {
            problems.add(
                "-d names the folder, which does not exist: curl's -d is --data TEXT or --data @FILE; "
                    + "to create the folder, write ./ before its name")
        }
        do throws(URLPattern.Fault) {
            urls = try URLArgument.expanded(arguments.urls, isLiteral: options.contains("globoff"))
        } catch {
            problems.add(error.message, excerpt: error.excerpt)
            urls = []
        }
        for url in urls {
            _ = problems.read("") { () throws(DownloadError) in try SourceURL(parsing: url) }
        }
        for text in arguments.urls
        where URLArgument.looksLikeMetalink(text) && FileManager.default.fileExists(atPath: text) {
            problems.add("\(TerminalText.printable(text)) is a Metalink file: write haul get --metalink and its name")
        }
        // The same file would get the same name.
        var seen: Set<ByteKey> = []
        let given = urls.count
        urls.removeAll { !seen.insert(ByteKey($0)).inserted }
        repeatedURLs = given - urls.count
        let one = urls.count <= 1 && list == nil && metalinks.isEmpty
        readMirrors(options.texts("mirror"), one, hasURLs: !arguments.urls.isEmpty, &problems)
        if output != nil, !one {
            problems.add(
                "--output names one file: give one URL with it; for several, use --directory, or a list with the names "
                    + "(--input-file, with a line out=NAME after each URL)")
        }
        if one, output == "-" || output == "/dev/stdout" {
            streamTarget = .standardOutput
        } else {
            let destination = problems.read("") { () throws(DownloadError) in
                try DestinationArgument.parse(output: one ? output : nil, directory: directory)
            }
            if one, case .file(let path)? = destination, isPipeOrDevice(path) {
                streamTarget = .path(path)
            } else {
                template.destination = destination ?? template.destination
            }
        }
    }

    /// Checks options that are for one file.
    func checkSource(_ arguments: DownloadArguments, _ problems: inout InvalidOptions) {
        let one = urls.count <= 1 && list == nil && metalinks.isEmpty
        if arguments.properties.contains("checksum"), !one {
            problems.add("--checksum is for one file: give one URL with it")
        }
        if Set(arguments.properties.texts("checksum")).count > 1 {
            problems.add("--checksum: \(ListDraft.severalChecksums)")
        }
    }

    private mutating func readMirrors(
        _ mirrors: [String], _ one: Bool, hasURLs: Bool, _ problems: inout InvalidOptions
    ) {
        if !mirrors.isEmpty, !one || !hasURLs {
            problems.add(
                HabitHint.mirrorHint + (!hasURLs && list == nil ? "; \(HabitTable.notRecursive)" : ""))
        }
        for url in mirrors.map(URLArgument.completed) {
            _ = problems.read("--mirror") { () throws(DownloadError) in try SourceURL(parsing: url) }
            template.mirrors.append(DownloadSpec.Mirror(url: url))
        }
    }

    private mutating func readTransfer(_ options: OptionLayer, _ problems: inout InvalidOptions) {
        let count = options.text("jobs").flatMap { text in
            problems.read("--jobs") { () throws(DownloadError) in try WholeNumber.parse(text, in: 1...256) }
        }
        jobs = count ?? jobs
        waitsForNetwork = options.contains("wait-for-network")
        let schedule = options.text("limit-rate").flatMap { text in
            problems.read("--limit-rate") { () throws(DownloadError) in try RateSchedule(parsing: text) }
        }
        if let schedule, !schedule.parts.isEmpty { rateSchedule = schedule } else { rateLimit = schedule?.otherwise }
    }

    private mutating func readStream(_ arguments: DownloadArguments, _ problems: inout InvalidOptions) {
        let (options, given) = (arguments.options, arguments.properties)
        streamWindow =
            options.text("stream-window").flatMap { text in
                problems.read("--stream-window") { () throws(DownloadError) in try WindowArgument(parsing: text).bytes }
            } ?? streamWindow
        if options.contains("stream-window"), !streams {
            problems.add(
                "--stream-window is for standard output, a pipe or a device: give --output - with it")
        }
        guard let streamTarget else { return }
        if options.contains("json"), streamTarget == .standardOutput {
            problems.add("--json and --output - cannot be combined: both write to standard output")
        }
        if given.contains("continue") {
            problems.add("--continue is for files: \(streamTarget.name) has nothing to resume")
        }
        if given.contains("partial-folder") {
            problems.add("--partial-folder is for files: \(streamTarget.name) has no partial file")
        }
    }
}
