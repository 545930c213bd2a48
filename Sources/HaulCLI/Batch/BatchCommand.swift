import ArgumentParser
import HaulBatch
import HaulBatchRun
import HaulOptions

/// `haul batch`: fetches a data set of many small files.
struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Download a data set: one shard of a manifest of URLs, with a result for every row.",
        usage: """
            haul batch [<options>] --out <folder> <manifest>
                   haul batch --plan --shard 0/<n> <manifest>
                   haul batch --check <folder> [--deep] <manifest>
            """,
        discussion: """
            Rows are saved in parts: part-SSSSS-PPPP.tar in WebDataset's format, with
            part-SSSSS-PPPP.results.jsonl beside it, which has a line for every row: ok,
            failed or refused. Run the same command again to continue: rows with a result
            are not fetched again.

            Exit code 0 if every row of the shard has a result, whatever it is. With
            --check, 1 if a row has none or a part can't be read.
            """
    )

    /// Nil also if it follows `--retry-failed`, which has taken it for its value; see `RetryChoice`.
    @Argument(
        help: ArgumentHelp(
            "File of URLs: JSON lines, CSV, TSV, or one URL per line; - is standard input.", valueName: "manifest"),
        completion: .file())
    var manifest: String?

    @OptionGroup(title: "Manifest and output") var files: BatchFileOptions
    @OptionGroup(title: "Shards") var shards: BatchShardOptions
    @OptionGroup(title: "Transfer") var transfer: BatchTransferOptions
    @OptionGroup(title: "Transfer") var transfers: TableOptions<BatchTransferTable>
    @OptionGroup(title: "Filters") var filters: BatchFilterOptions
    @OptionGroup(title: "Access and network") var access: TableOptions<BatchAccessTable>
    @OptionGroup(title: "Access and network") var credentials: TableOptions<CredentialSection>
    @OptionGroup(title: "Access and network") var network: TableOptions<NetworkSection>
    @OptionGroup(title: "Output") var output: BatchOutputOptions

    func run() async throws {
        throw ArgumentParser.ExitCode(await BatchProgram.run(try BatchPlan(self)).rawValue)
    }
}

/// The options of the table that a batch has.
enum BatchTransferTable: OptionSection {
    static let options = CommandSetting.rows(.transfer, .get).filter {
        ["connect-timeout", "idle-timeout", "max-wait", "min-speed", "compressed"].contains($0.name)
    }
}

enum BatchAccessTable: OptionSection {
    static let options = CommandSetting.rows(.access, .get)
}

/// The manifest and the parts.
struct BatchFileOptions: ParsableArguments {
    @Option(
        name: [.customLong("out"), .customShort("o")],
        help: ArgumentHelp("Save parts in this folder; created if missing.", valueName: "folder"),
        completion: .directory)
    var out: String?

    @Option(
        help: ArgumentHelp(
            "Format of the manifest: jsonl, csv, tsv or list (default: by its name, or its first byte).",
            valueName: "format"), completion: .list(ManifestFormat.allCases.map(\.rawValue)))
    var manifestFormat: String?

    @Option(help: ArgumentHelp("Column with the URL (default: url).", valueName: "name"))
    var urlColumn: String?

    @Option(
        help: ArgumentHelp(
            "Column with an id that is unique (default: id if there is one, otherwise the row's number).",
            valueName: "name"))
    var idColumn: String?

    @Option(help: ArgumentHelp("Column with the name of the saved file (default: the id).", valueName: "name"))
    var nameColumn: String?

    @Option(
        help: ArgumentHelp("Save in tar files or in folders: tar or files (default: tar).", valueName: "format"),
        completion: .list(PartFormat.allCases.map(\.rawValue)))
    var format: String?

    @Option(help: ArgumentHelp("Number of rows in a part (default: 10000).", valueName: "n"))
    var rowsPerPart: String?

    @Option(
        parsing: .scanningForValue,
        help: ArgumentHelp(
            "Check this folder against the manifest; downloads nothing.", valueName: "folder"),
        completion: .directory)
    var check: String?

    @Flag(help: "With --check, verify the checksum of every file.")
    var deep = false
}

/// The division into shards.
struct BatchShardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Fetch shard i of n, counted from 0; auto or auto/n reads it from Slurm, Kubernetes, AWS Batch or GNU parallel.",
            valueName: "i/n|auto"))
    var shard: String?

    @Option(
        help: ArgumentHelp(
            "Division into shards: host (each host in one shard) or row (every nth row) (default: host).",
            valueName: "rule"), completion: .list(BatchJob.Division.allCases.map(\.rawValue)))
    var shardBy: String?

    @Option(
        help: ArgumentHelp(
            "Number of the shard in the names of parts, for rows that the caller has divided: all of them are fetched.",
            valueName: "n"))
    var shardName: String?

    @Flag(help: "Print all shards and their load; downloads nothing.")
    var plan = false
}

/// The rows at a time, and which.
struct BatchTransferOptions: ParsableArguments {
    @Option(
        name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
        help: OptionHelp.jobs(standard: "64"))
    var jobs: String?

    @Option(
        help: ArgumentHelp(
            "Number of downloads at a time from one host, over all shards (default: 4).", valueName: "n"))
    var perHost: String?

    @Option(
        help: ArgumentHelp(
            "Give up a row after this many retries in a row without progress (default: 2).", valueName: "n"))
    var retries: String?

    @Option(
        help: ArgumentHelp(
            "Maximum time for a row, with all attempts, or unlimited (default: 60).", valueName: "seconds"))
    var rowDeadline: String?

    @Option(help: OptionHelp.totalRate)
    var limitRate: String?

    @Option(
        defaultAsFlag: "", parsing: .scanningForValue,
        help: ArgumentHelp(
            "Fetch failed rows again, too: all, or those with these error codes, such as timedOut,mediaType; refused "
                + "for all refused rows.",
            valueName: "codes"))
    var retryFailed: String?
}

/// The files that are not kept.
struct BatchFilterOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Refuse larger files, such as 20M.", valueName: "size"))
    var maxSize: String?

    @Option(
        help: ArgumentHelp(
            "Refuse other media types, by header and by content, such as image/*.", valueName: "types"))
    var accept: String?

    @Option(
        help: ArgumentHelp(
            "Refuse files whose X-Robots-Tag header has one of these, such as noai,noimageai,noindex.",
            valueName: "directives"))
    var disallow: String?

    @Flag(help: "Read robots.txt of each host, and refuse what it disallows.")
    var robotsTxt = false
}

/// The reports.
struct BatchOutputOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: OptionHelp.quiet)
    var quiet = false

    @Flag(help: OptionHelp.json)
    var json = false

    @Option(
        help: ArgumentHelp("Keep statistics for Prometheus in this file.", valueName: "file"), completion: .file())
    var prometheus: String?
}
