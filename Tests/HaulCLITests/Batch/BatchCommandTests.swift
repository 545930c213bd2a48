import ArgumentParser
import HaulBatch
import HaulBatchRun
import HaulCore
import Testing

@testable import HaulCLI

@Suite struct BatchCommandTests {
    private func plan(_ arguments: [String], _ environment: [String: String] = [:]) throws -> BatchPlan {
        let command = try #require(try HaulCommand.parseAsRoot(["batch"] + arguments) as? BatchCommand)
        return try BatchPlan(command, environment: environment)
    }

    private func problems(_ arguments: [String]) throws -> [String] {
        let command = try #require(try HaulCommand.parseAsRoot(["batch"] + arguments) as? BatchCommand)
        do throws(InvalidOptions) {
            _ = try BatchPlan(command, environment: [:])
            return []
        } catch {
            return error.messages
        }
    }

    @Test func `the defaults are those of the help`() throws {
        let plan = try plan(["--out", "data", "m.csv"])
        #expect(plan.action == .fetch)
        let job = plan.job
        #expect((job.manifest, job.folder, job.shard, job.division) == ("m.csv", "data", .whole, .host))
        #expect((job.output, job.rowsPerPart, job.jobs, job.perHost) == (.tar, 10_000, 64, 4))
        #expect(job.selection == .missing)
        #expect(job.template.transfer.maxTime == .seconds(60) && job.template.retries == 2)
        #expect(job.rules == ResponseRules())
    }

    @Test func `every option is read`() throws {
        let plan = try plan(
            [
                "m", "-o", "d", "--manifest-format", "tsv", "--url-column", "u", "--id-column", "i", "--name-column",
                "n",
                "--format", "files", "--rows-per-part", "5", "--shard", "auto", "--shard-by", "row", "-j8",
                "--per-host", "2", "--row-deadline", "unlimited", "--max-size", "2K", "--accept", "image/*,a/B",
                "--disallow", "NoAI,noindex", "--robots-txt", "--user-agent", "MyBot/1 (+http://h)", "--retries", "1",
                "--min-speed", "1K:5", "--json", "--prometheus", "p", "--retry-failed", "timedOut,notFound",
                "--limit-rate", "3M",
            ], ["JOB_COMPLETION_INDEX": "1", "JOB_COMPLETIONS": "3"])
        let job = plan.job
        #expect(job.format == .tsv)
        #expect(job.columns == ManifestColumns(url: "u", id: "i", requiresID: true, name: "n"))
        #expect((job.output, job.rowsPerPart, job.jobs, job.perHost) == (.files, 5, 8, 2))
        #expect(job.shard == Shard(1, of: 3) && job.division == .row)
        #expect(job.template.transfer.maxTime == nil && job.template.retries == 1)
        #expect(job.rules.maxSize == 2048 && job.rules.accepted == ["image/*", "a/b"])
        #expect(job.rules.disallowed == ["noai", "noindex"] && job.rules.agent == "mybot" && job.followsRobotsText)
        #expect(job.selection == .missingAndFailed(codes: ["timedOut", "notFound"]))
        #expect(plan.json && plan.prometheus == "p")
        #expect(plan.rate?.otherwise == 3 << 20)
    }

    @Test(arguments: ["refused", "mediaType,invalidRow", "tooLarge,robotsTag,robotsText", "failed,refused"])
    func `retry-failed has codes of refused rows, too`(value: String) throws {
        let job = try plan(["-o", "d", "--retry-failed", value, "m.csv"]).job
        #expect(job.manifest == "m.csv")
        #expect(job.selection == .missingAndFailed(codes: Set(value.split(separator: ",").map(String.init))))
    }

    @Test func `retry-failed keeps its codes, wherever it is`() throws {
        for words in [
            ["--retry-failed=notFound", "-j", "8", "m.csv"], ["-j", "8", "--retry-failed=notFound", "m.csv"],
            ["m.csv", "--retry-failed=notFound"],
        ] {
            let arguments = CommandArguments.completed(["batch", "-o", "d"] + words).dropFirst()
            #expect(try plan(Array(arguments)).job.selection == .missingAndFailed(codes: ["notFound"]))
        }
    }

    @Test(arguments: [["-o", "s3://b/c", "m"], ["--check", "gs://b", "m"]])
    func `an object store is not a folder`(words: [String]) {
        let error = #expect(throws: InvalidOptions.self) { try plan(words) }
        #expect(error?.messages.contains { $0.contains("haul.batch of the Python package") } == true)
    }

    @Test func `retry-failed needs no value`() throws {
        for arguments in [
            ["m.csv", "-o", "d", "--retry-failed"], ["--retry-failed", "-o", "d", "m.csv"],
            ["-o", "d", "--retry-failed", "m.csv"],
        ] {
            let job = try plan(arguments).job
            #expect(job.selection == .missingAndFailed(codes: nil) && job.manifest == "m.csv")
        }
        for arguments in [
            ["-o", "d", "--retry-failed", "timedOut,notFound", "m.csv"],
            ["-o", "d", "--retry-failed=timedOut,notFound", "m.csv"],
            ["-o", "d", "m.csv", "--retry-failed", "timedOut notFound"],
        ] {
            let job = try plan(arguments).job
            #expect(job.selection == .missingAndFailed(codes: ["timedOut", "notFound"]) && job.manifest == "m.csv")
        }
    }

    @Test(arguments: [
        (["-o", "d", "m", "--retry-failed", "m.csv"], "\"m.csv\" is not an error code"),
        (["-o", "d", "m", "--retry-failed=timedOut,x"], "\"x\" is not an error code"),
        (["-o", "d", "--retry-failed", "timedOut"], "the manifest is missing"),
        (["-o", "d", "--retry-failed"], "the manifest is missing"), (["-o", "d"], "the manifest is missing"),
    ])
    func `what is neither a code nor the manifest is one problem`(arguments: [String], words: String) throws {
        let problems = try problems(arguments)
        #expect(problems.count == 1 && problems[0].contains(words), "\(problems)")
    }

    @Test func `rows that were divided before need only the name of their shard`() throws {
        let job = try plan(["-", "-o", "d", "--shard-name", "17"]).job
        #expect((job.shard, job.shardName) == (.whole, 17))
    }

    @Test func `check and plan download nothing`() throws {
        #expect(try plan(["--check", "d", "--deep", "m"]).action == .check(isDeep: true))
        #expect(try plan(["--check", "d", "m"]).job.folder == "d")
        #expect(try plan(["--plan", "--shard", "0/4", "m"]).action == .plan)
    }

    @Test(arguments: [
        ["m"], ["m", "-o", "d", "--deep"], ["--check", "d", "-o", "d", "m"], ["--plan", "m"], ["m", "-o", "d", "-j0"],
        ["m", "-o", "d", "--shard", "4/4"], ["m", "-o", "d", "--shard", "auto"], ["m", "-o", "d", "--format", "zip"],
        ["-", "-o", "d", "--shard", "0/2"], ["m", "-o", "d", "--accept", "jpeg"], ["m", "-o", "d", "--max-size", "x"],
        ["m", "-o", "d", "--row-deadline", "0"], ["m", "-o", "d", "--limit-rate", "x"],
        ["m", "-o", "d", "--prometheus", ""],
        ["m", "-o", "d", "--shard-by", "x"], ["m", "-o", "d", "--manifest-format", "x"],
        ["m", "-o", "d", "--rows-per-part", "0"], ["m", "-o", "d", "--per-host", "0"],
        ["--check", "d", "--plan", "--shard", "0/2", "m"], ["m", "-o", "d", "--shard-name", "100000"],
        ["m", "-o", "d", "--shard-name", "1", "--shard", "1/2"], ["--check", "d", "--shard-name", "1", "m"],
    ])
    func `an option that is not valid is one problem`(arguments: [String]) throws {
        #expect(try problems(arguments).count == 1)
    }

    @Test func `the shards are a table, or JSON`() {
        var counts = HostCounts()
        counts.add("big.test", rows: 90)
        counts.add("a.test", rows: 10)
        let plan = ShardPlan(counts, shards: 2, perHost: 4)
        let text = BatchText.table(plan)
        #expect(text.hasPrefix("SHARD  ROWS  HOSTS\n"))
        #expect(text.contains("big.test: 90 rows, split over shards 0 (2 at a time), 1 (2 at a time)\n"))
        #expect(BatchText.json(plan).split(separator: "\n").count == 3)
    }
}
