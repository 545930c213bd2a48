import ArgumentParser
import HaulCore
import HaulOptions
import HaulTesting
import Logging
import Testing

@testable import HaulCLI

@Suite struct GetPlanTests {
    private func plan(_ arguments: String...) throws -> GetPlan {
        let parsed = try HaulCommand.parseAsRoot(["get"] + arguments)
        let command = try #require(parsed as? GetCommand)
        return try GetPlan(command.arguments)
    }

    private func problems(_ arguments: [String]) throws -> [String] {
        let command = try #require(try HaulCommand.parseAsRoot(["get"] + arguments) as? GetCommand)
        do {
            _ = try GetPlan(command.arguments)
            return []
        } catch {
            return error.messages
        }
    }

    @Test func defaultsAreThoseOfTheLibrary() throws {
        let plan = try plan("http://h/x")
        var spec = DownloadSpec(url: "", destination: .folder(path: "."))
        spec.maxWait = .seconds(60)
        #expect(plan.template == spec)
        spec.onConflict = .fail
        #expect(plan.template == spec && plan.jobs == 3 && plan.rateLimit == nil && plan.expected == 1)
        #expect(plan.logLevel == .warning && !plan.quiet && !plan.json && plan.network.caCertificatePath == nil)
    }

    @Test func aBodyIsATextOrAFileAsItIs() throws {
        let folder = try TemporaryFolder()
        try folder.put([0, 10, 0xFF], "body")
        let plan = try plan("--data", "a=1", "--data", "@\(folder.path)/body", "--repeat-request", "http://h/x")
        let type = "application/x-www-form-urlencoded"
        #expect(plan.template.body == DownloadSpec.RequestBody(Array("a=1&".utf8) + [0, 10, 0xFF], mediaType: type))
        #expect(plan.template.source.requestMethod == "POST" && plan.template.repeatsRequest)
        #expect(try self.plan("--data", "", "--method", "PUT", "http://h/x").template.source.requestMethod == "PUT")
        for wrong in ["@", "@-", "@\(folder.path)/none"] {
            #expect(try problems(["--data", wrong, "http://h/x"]).first?.hasPrefix("--data: ") == true)
        }
    }

    @Test(arguments: ["data", "method", "repeat-request"])
    func listsHaveNoBody(name: String) { #expect(OptionTable.listed(name) == nil) }

    @Test func everyOptionReachesThePlan() throws {
        let sum = "sha256:" + String(repeating: "0", count: 64)
        let plan = try plan(
            "-o", "f", "-d", "d", "-c", "8", "-j", "5", "--checksum", sum, "-H", "A: 1", "-H", "B: 2",
            "--user-agent", "me/1", "--on-conflict", "rename", "--no-resume", "--retries", "0", "--connect-timeout",
            "1.5", "--idle-timeout", "2", "--limit-rate", "2M", "--ca-certificate", "ca.pem", "--insecure",
            "--allow-downgrade", "--range", "10-19", "--partial-folder", "p", "--find-checksum",
            "--no-header-checksum", "--verify-existing", "-q", "--json", "--log-level", "debug",
            "--max-wait", "90", "--max-time", "7.5", "--min-speed", "10K:30",
            "http://h/x")
        var spec = DownloadSpec(url: "", destination: .file(path: "d/f"))
        spec.connections = .fixed(8)
        spec.checksum = try Checksum(parsing: sum)
        spec.headers = [("A", "1"), ("B", "2"), ("User-Agent", "me/1")].map { .init(name: $0.0, value: $0.1) }
        spec.onConflict = .rename
        spec.findsChecksum = true
        spec.usesHeaderChecksum = false
        spec.verifiesExisting = true
        spec.resumes = false
        spec.retries = 0
        spec.connectTimeout = .milliseconds(1500)
        spec.idleTimeout = .seconds(2)
        (spec.maxWait, spec.maxTime) = (.seconds(90), .milliseconds(7500))
        spec.minSpeed = MinimumSpeed(bytesPerSecond: 10 << 10, seconds: 30)
        spec.insecure = true
        spec.allowsDowngrade = true
        spec.range = ByteRange(10, 20)
        spec.partialFolder = "p"
        #expect(plan.template == spec)
        #expect(plan.jobs == 5 && plan.rateLimit == 2 << 20 && plan.network.caCertificatePath == "ca.pem")
        #expect(plan.quiet && plan.json && plan.logLevel == .debug)
    }

    @Test func continuesReachesThePlan() throws {
        var spec = DownloadSpec(url: "", destination: .folder(path: "."))
        (spec.maxWait, spec.adoptsPartials) = (.seconds(60), true)
        #expect(try plan("--continue", "http://h/x").template == spec)
    }

    @Test(
        arguments: [
            (["http://h/a", "--continue", "--no-resume"], "--continue and --no-resume cannot be combined"),
            (["http://h/a", "--continue", "--range", "0-9"], "--continue and --range cannot be combined"),
            ([], "nothing to download: give a URL, or a list with --input-file"),
            (["-j", "0"], "--jobs: invalid value \"0\""), (["-j", "http://h/"], "--jobs: invalid value \"http://h/\""),
            (["-c", "0"], "--connections: invalid value \"0\""),
            (["-o", "http://h/a"], "nothing to download: -o used the URL as its value: write -o FILE URL"),
            (["-d", "http://h/"], "nothing to download: -d used the URL"),
            (["-H", "http://h/"], "nothing to download: -H used the URL"),
            (["-d", "a/b"], "nothing to download: give a URL, or a list with --input-file"),
            (["http://h/a", "http://h/b", "-o", "x"], "--output names one file: give one URL with it"),
            (["-i", "l", "-o", "x"], "--output names one file"),
            (["-i", "l", "--checksum", "md5:\(String(repeating: "0", count: 32))"], "--checksum is for"),
            (
                ["http://h/a"] + ["0", "1"].flatMap { ["--checksum", "md5:\(String(repeating: $0, count: 32))"] },
                "--checksum: several values"
            ),
            (["http://h/a", "--checksum", "md5:0"], "--checksum: \"0\" is not a valid md5 digest"),
            (["http://h/a", "-c", "-1"], "--connections: invalid value \"-1\""),
            (["http://h/a", "-j", "0"], "--jobs: invalid value \"0\": expected a number from 1 to 256"),
            (["http://h/a", "--retries", "-1"], "--retries: invalid value \"-1\""),
            (["http://h/a", "--max-wait", "x"], "--max-wait: invalid value \"x\""),
            (["http://h/a", "--max-time", "0"], "--max-time: invalid value \"0\""),
            (["http://h/a", "--min-speed", "10K"], "--min-speed: invalid value \"10K\": expected RATE:SECONDS"),
            (["http://h/a", "--min-speed", "0:5"], "--min-speed: invalid rate \"0\""),
            (["http://h/a", "--min-speed", "1K:0.5"], "--min-speed: invalid value \"1K:0.5\": the time must be"),
            (
                ["http://h/a", "--connect-timeout", "0"],
                "--connect-timeout: invalid value \"0\": expected a number of seconds"
            ),
            (["http://h/a", "--idle-timeout", "x"], "--idle-timeout: invalid value \"x\""),
            (["http://h/a", "--limit-rate", "x"], "--limit-rate: invalid number of bytes \"x\""),
            (["http://h/a", "--on-conflict", "x"], "--on-conflict: invalid value \"x\": expected one of"),
            (["http://h/a", "--log-level", "x"], "--log-level: invalid value \"x\": expected one of trace"),
            (["http://h/a", "--ca-certificate", ""], "--ca-certificate is empty"),
            (["http://h/a", "--range", "5-4"], "--range: invalid range \"5-4\""),
            (["http://h/a", "--partial-folder", ""], "--partial-folder: expected a folder"),
            (["http://h/a", "-d", ""], "--directory is empty"),
            (["http://h/a", "-H", "x"], "--header: expected 'Name: value'"),
            (["http://h/a", "--user-agent", "a\nb"], "--user-agent: the value of User-Agent has a line break"),
            (
                ["http://h/a", "--user-agent", "a", "-H", "user-agent: b"],
                "--user-agent and --header 'User-Agent: …' cannot be combined"
            ),
            (["./h/a"], "invalid URL \"./h/a\""),
            (["http://h/a", "-o", "-", "--json"], "--json and --output - cannot be combined"),
            (["http://h/a", "-o", "-", "--partial-folder", "p"], "--partial-folder is for files: standard output has"),
            (["http://h/a", "-o", "-", "--stream-window", "1K"], "--stream-window: invalid value \"1K\""),
            (
                ["http://h/a", "-o", "-", "--continue"],
                "--continue is for files: standard output has nothing to resume"
            ),
            (
                ["http://h/a", "-o", "/dev/null", "--partial-folder", "p"],
                "--partial-folder is for files: /dev/null has"
            ),
            (["http://h/a", "--stream-window", "2M"], "--stream-window is for standard output"),
            (["-i", "l", "-o", "-"], "--output names one file"),
            (
                ["http://h/a", "--limit-rate", "22:00-06 unlimited, 2M"],
                "--limit-rate: invalid schedule \"22:00-06 unlimited, 2M\""
            ),
        ] as [([String], String)])
    func eachWrongOptionIsNamedInOneLine(arguments: [String], start: String) throws {
        let messages = try problems(arguments)
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix(start) == true, "\(messages)")
        #expect(messages.allSatisfy { !$0.contains("\n") })
    }

    @Test("a pattern that can't be used is shown with its position") func pattern() throws {
        let command = try #require(try HaulCommand.parseAsRoot(["get", "http://h/{a", "-j", "0"]) as? GetCommand)
        let problems = #expect(throws: InvalidOptions.self) {
            try GetPlan(command.arguments)
        }?.problems
        #expect(problems?.count == 2)
        #expect(problems?.first?.message.hasPrefix("unmatched brace in URL position 10; ") == true)
        #expect(problems?.first?.excerpt == ["http://h/{a", "         ^"])
    }

    @Test func allWrongOnesAreNamedAtOnce() throws {
        let messages = try problems(["x", "y", "-c", "0", "-H", "ok: 1", "-H", "bad"])
        #expect(messages.count == 4)
        #expect(messages.last?.hasPrefix("--header number 2: ") == true)
    }

    @Test func standardOutputIsADestination() throws {
        let plan = try plan("-o", "-", "--stream-window", "8M", "http://h/x")
        #expect(plan.streams && plan.streamWindow == 8 << 20)
        #expect(try !self.plan("-o", "./-", "http://h/x").streams)
    }

    @Test func aRateMayGoByTheTimeOfDay() throws {
        let plan = try plan("--limit-rate", "22:00-06:00 unlimited, else 2M", "http://h/x")
        #expect(plan.rateLimit == nil && plan.rateSchedule?.otherwise == 2 << 20)
        let night = try #require(RateSchedule.Part(from: 22 * 60, to: 6 * 60, rate: nil))
        #expect(plan.rateSchedule?.parts == [night])
        #expect(try self.plan("--limit-rate", "unlimited", "http://h/x").rateLimit == nil)
    }

    @Test func quietLogsOnlyErrors() throws {
        #expect(try plan("-q", "http://h/x").logLevel == .error)
        #expect(try plan("-q", "--log-level", "info", "http://h/x").logLevel == .info)
    }

    @Test func aListIsStreamedSoItsLengthIsUnknown() throws {
        #expect(try plan("-i", "-", "http://h/x").expected == nil)
    }

    @Test("a password file is for the user name in the URL, too")
    func userOfURL() throws {
        #expect(try plan("--password-file", "p", "http://me@h/x").template.access.user == "me")
        #expect(try plan("--user", "you", "--password-file", "p", "http://me@h/x").template.access.user == "you")
        #expect(throws: InvalidOptions.self) { try plan("--password-file", "p", "http://h/x") }
        #expect(throws: InvalidOptions.self) { try plan("--password-file", "p", "http://me@h/x", "http://h/y") }
    }

    @Test("a URL that is given twice is downloaded once, and -o may name its file")
    func repeated() throws {
        let plan = try plan("-o", "f", "http://h/x", "http://h/x")
        #expect(plan.urls == ["http://h/x"] && plan.repeatedURLs == 1)
    }

    @Test(
        "two URLs that are equal only as text of people are two",
        arguments: [("http://h/\u{E9}", "http://h/e\u{301}"), ("http://h/K", "http://h/\u{212A}")])
    func forms(first: String, second: String) throws {
        #expect(first == second)
        let plan = try plan(first, second)
        #expect(plan.urls.count == 2 && plan.repeatedURLs == 0)
    }

    @Test("an Accept-Encoding of one's own is refused, with what to write instead")
    func coding() throws {
        #expect(try problems(["-H", "Accept-Encoding: gzip", "http://h/x"]).contains { $0.contains("--compressed") })
    }
}
