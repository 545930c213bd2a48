import ArgumentParser
import Foundation
import HaulCore
import HaulOptions
import HaulServer
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("The configuration file and the environment")
struct CommandSettingsTests {
    private func settings(_ file: String, _ environment: [String: String] = [:]) throws -> CommandSettings {
        var settings = CommandSettings()
        try settings.read(environment: environment)
        try settings.read(file: file, path: "/c.toml", environment: ["HOME": "/home/me"])
        return settings
    }

    private func plan(
        _ arguments: [String], _ file: String, _ environment: [String: String] = [:]
    ) throws -> GetPlan {
        let settings = try settings(file, environment)
        let all = HaulProgram.complete(["get"] + arguments, with: settings)
        var command = try #require(try HaulCommand.parseAsRoot(all) as? GetCommand)
        command.settings = settings
        return try GetPlan(command.arguments)
    }

    private func refusal(_ file: String) -> String? {
        do {
            _ = try settings(file)
            return nil
        } catch {
            return (error as? DownloadError)?.message
        }
    }

    @Test("flags override the environment, which overrides the file")
    func order() throws {
        let file =
            "retries = 1\nidle-timeout = 11\nconnect-timeout = 21\njobs = 2\nproxy = \"http://f:1\"\nquiet = true"
        let environment = ["HAUL_IDLE_TIMEOUT": "12", "HAUL_CONNECT_TIMEOUT": "22", "HAUL_JOBS": "4"]
        let plan = try plan(["http://h/x", "--connect-timeout", "23"], file, environment)
        #expect(plan.template.retries == 1 && plan.template.idleTimeout == .seconds(12))
        #expect(plan.template.connectTimeout == .seconds(23))
        #expect(plan.jobs == 4 && plan.network.proxy == "http://f:1" && plan.quiet)
        #expect(try self.plan(["http://h/x", "-j5"], file, environment).jobs == 5)
    }

    @Test("a flag that excludes an option of the file replaces it")
    func rivals() throws {
        let plan = try plan(["http://h/x", "--raw", "--verbosity", "line"], "compressed = true\nquiet = true")
        #expect(plan.template.compression == .keep && plan.verbosity == .line)
        #expect(try self.plan(["http://h/x"], "insecure = true", ["HAUL_INSECURE": "false"]).template.insecure == false)
        let headers = try self.plan(["http://h/x", "-H", "a: 2"], "header = [\"A: 1\", \"B: 3\"]").template.headers
        #expect(headers == [.init(name: "B", value: "3"), .init(name: "a", value: "2")])
    }

    @Test("a section is for the URLs of its host, below environment and flags")
    func hosts() async throws {
        let file = """
            retries = 1
            [host."example.org"]
            retries = 2
            header = "X-Key: k"
            user = "me"
            password-file = "~/secret"
            [host."*.example.org"]
            retries = 3
            """
        let plan = try plan(["http://h/x", "--idle-timeout", "9"], file)
        func spec(_ url: String) -> DownloadSpec { plan.hosts.template(plan.template, for: url) }
        #expect(spec("http://h/").retries == 1 && spec("http://h/").headers.isEmpty)
        #expect(spec("https://Example.org/x").retries == 2 && spec("example.org/x").headers.count == 1)
        #expect(spec("http://example.org/").user == "me")
        #expect(spec("http://example.org/").password == .file(path: "/home/me/secret"))
        #expect(spec("http://a.example.org/").retries == 3 && spec("http://notexample.org/").retries == 1)
        #expect(spec("http://example.org/").idleTimeout == .seconds(9))
        let own = try self.plan(["http://h/x", "--retries", "7", "--user", "you"], file)
        #expect(own.hosts.template(own.template, for: "http://example.org/").retries == 7)
        #expect(own.hosts.template(own.template, for: "http://example.org/").user == "you")
        #expect(own.hosts.template(own.template, for: "http://example.org/").password == nil)

        var queue = try JobQueue(
            urls: ["http://example.org/a", "http://h/a"], list: nil, template: plan.template, hosts: plan.hosts)
        var retries: [Int] = []
        while case .job(_, let spec)? = await queue.next() { retries.append(spec.retries) }
        #expect(retries == [2, 1])
    }

    @Test("a section replaces what it excludes at the top")
    func excludedAtTheTop() throws {
        let file = """
            user = "me"
            password-file = "/p"
            no-resume = true
            [host."b"]
            bearer-file = "/t"
            continue = true
            [host."u"]
            user = "you"
            password-file = "/q"
            """
        let plan = try plan(["http://h/x"], file)
        let bearer = plan.hosts.template(plan.template, for: "http://b/").access
        #expect(bearer.user == nil && bearer.password == nil && bearer.bearerToken == .file(path: "/t"))
        let resumed = plan.hosts.template(plan.template, for: "http://b/")
        #expect(resumed.resumes && resumed.adoptsPartials && !plan.template.resumes)
        let section = "[host.u]\nuser = \"you\"\npassword-file = \"/q\""
        let top = try self.plan(["http://h/x"], "bearer-file = \"/t\"\n" + section)
        var template = top.template
        template.bearerToken = .text("token")
        let login = top.hosts.template(template, for: "http://u/").access
        #expect(login.user == "you" && login.password == .file(path: "/q") && login.bearerToken == nil)
        // Credentials of the command line are used as a whole.
        let own = try self.plan(["http://h/x", "--bearer-file", "/o"], file)
        #expect(own.template.user == nil && own.network.tokenFile == "/o" && own.network.passwordFile == nil)
        #expect(own.hosts.template(own.template, for: "http://u/").user == nil)
    }

    @Test("every option that another one excludes, and that a section may have, can be reset")
    func resets() {
        let names = Set(CommandSetting.all.map(\.name))
        let excluded = names.reduce(into: Set<String>()) { $0.formUnion(CommandSetting.excluded(by: [$1])) }
        for name in excluded {
            guard let row = OptionTable.named(name), row.scope.contains(.host) else { continue }
            #expect(row.reset != nil, "\(name)")
        }
    }

    @Test("a flag that is switched off excludes nothing")
    func switchedOff() throws {
        let plan = try plan(
            ["http://h/x"], "compressed = true\ncontinue = true\nverbosity = \"line\"",
            ["HAUL_RAW": "false", "HAUL_NO_RESUME": "0", "HAUL_QUIET": "false"])
        #expect(plan.template.compression == .request && plan.verbosity == .line)
        #expect(plan.template.resumes && plan.template.adoptsPartials)
    }

    @Test("only options that exclude each other override each other")
    func pairs() throws {
        let plan = try plan(["http://h/x", "--range", "0-9"], "no-resume = true")
        #expect(!plan.template.resumes && plan.template.range == ByteRange(0, 10))
        #expect(try !self.plan(["http://h/x", "--range", "0-9"], "continue = true").template.adoptsPartials)
        let login = "user = \"me\"\npassword-file = \"/p\""
        let bearer = try self.plan(["http://h/x"], login, ["HAUL_BEARER_FILE": "/t"])
        #expect(bearer.template.user == nil && bearer.network.tokenFile == "/t")
        #expect(bearer.network.passwordFile == nil)
        let user = try self.plan(["http://h/x", "--user", "you"], "bearer-file = \"/t\"")
        #expect(user.template.user == "you" && user.network.tokenFile == nil)
        // Within one place, nothing says which of them is meant.
        #expect(throws: InvalidOptions.self) { try self.plan(["http://h/x"], login + "\nbearer-file = \"/t\"") }
    }

    @Test("an option replaces the value of a lower place; only headers are joined")
    func replaced() throws {
        let plan = try plan(["http://h/x", "--data", "b=2"], "data = \"c=3\"", ["HAUL_DATA": "a=1"])
        #expect(plan.template.body?.bytes == Array("b=2".utf8))
        let other = try self.plan(["http://h/x"], "data = \"c=3\"", ["HAUL_DATA": "a=1"])
        #expect(other.template.body?.bytes == Array("a=1".utf8))
    }

    @Test("a limit of all downloads leaves that of a host", arguments: ["50M", "22:00-06:00 unlimited, else 2M"])
    func limits(rate: String) throws {
        let file = "[host.\"h\"]\nlimit-rate = \"100K\""
        let places: [([String], [String: String])] = [([], ["HAUL_LIMIT_RATE": rate]), (["--limit-rate", rate], [:])]
        for (arguments, environment) in places {
            let plan = try plan(["http://h/x"] + arguments, file, environment)
            #expect(plan.hosts.template(plan.template, for: "http://h/").rateLimit == 100 << 10)
            #expect(plan.rateLimit == 50 << 20 || plan.rateSchedule != nil)
        }
    }

    @Test("haul add ignores the options of a section that only haul get has")
    func sectionsOfGet() throws {
        let file = """
            [host."h"]
            load-cookies = "/c"
            partial-folder = "/p"
            retries = 7
            limit-rate = "5K"
            """
        let arguments = DownloadArguments(urls: ["http://h/x"], settings: try settings(file))
        let added = try AddPlan(arguments).plan
        let spec = added.hosts.template(added.template, for: "http://h/x")
        #expect(spec.cookiePath == nil && spec.partialFolder == nil && spec.retries == 7 && spec.rateLimit == 5 << 10)
        let got = try GetPlan(arguments)
        #expect(got.hosts.template(got.template, for: "http://h/x").cookiePath == "/c")
    }

    @Test("the home folder of a path is found in options that may be repeated as well")
    func homes() throws {
        let plan = try plan([], "input-file = \"~/list\"\nmetalink = [\"~/a.meta4\", \"https://h/~/b\"]")
        #expect(plan.list == "/home/me/list" && plan.metalinks == ["/home/me/a.meta4", "https://h/~/b"])
    }

    @Test("flags of the environment may be 1 and 0", arguments: [("1", "true"), ("0", "false"), ("true", "true")])
    func flags(text: String, value: String) throws {
        var settings = CommandSettings()
        try settings.read(environment: ["HAUL_INSECURE": text])
        #expect(settings.environment.text("insecure") == value)
        #expect(throws: DownloadError.self) { try settings.read(environment: ["HAUL_INSECURE": "2"]) }
    }

    @Test(
        "what is wrong is named with file and line",
        arguments: [
            ("\nretrys = 1", "/c.toml, line 2: unknown option \"retrys\": did you mean retries?"),
            ("retries = \"x\"", "/c.toml, line 1: retries: invalid value \"x\": expected a number from 0 to 1000"),
            ("quiet = 1", "/c.toml, line 1: quiet: expected true or false"),
            ("retries = [1]", "/c.toml, line 1: retries: expected one value"),
            ("[host.\"h\"]\njobs = 2", "/c.toml, line 2: jobs can't be set for a host"),
            ("[host.\"h\"]\nuser = \"me\"", "/c.toml, line 1: user requires password-file"),
            ("\n[host.\"h:80\"]", "/c.toml, line 2: a section is for all ports of a host: write [host.\"h\"]"),
            ("[host.\"[::1]:80\"]", "/c.toml, line 1: a section is for all ports of a host: write [host.\"[::1]\"]"),
            ("[other]", "/c.toml, line 1: expected a section"), ("[[host]]", "/c.toml, line 1: unknown table"),
            ("[host.\"h\"]\n[host.h]", "/c.toml, line 2: the section host.h exists twice"),
            ("retries 5", "/c.toml, line 1: expected NAME = VALUE"),
        ])
    func refused(file: String, start: String) throws {
        let message = try #require(refusal(file))
        #expect(message.hasPrefix(start), "\(message)")
    }

    @Test("a bad value of an option without a row is named with its place as well")
    func places() throws {
        for (file, environment, start) in [
            ("jobs = 0", [:], "/c.toml, line 1: jobs: invalid value"),
            ("", ["HAUL_JOBS": "0"], "HAUL_JOBS: invalid value"),
            ("", ["HAUL_RETRIES": "-1"], "HAUL_RETRIES: invalid value"),
        ] as [(String, [String: String], String)] {
            let problems = #expect(throws: InvalidOptions.self) { try plan(["http://h/x"], file, environment) }
            #expect(problems?.messages.count == 1 && problems?.messages.first?.hasPrefix(start) == true)
        }
    }

    @Test("every long option of get and add is a key")
    func complete() throws {
        let options = GetCommand.optionNames.union(AddCommand.optionNames)
        var names = Set(options.filter { $0.hasPrefix("--") }.map { String($0.dropFirst(2)) })
        // Whether to wait for the end is decided with each command.
        names.subtract(["help", "version", "config", "no-config", "no-why", "wait"])
        #expect(names == Set(CommandSetting.all.map(\.name)))
    }

    @Test("a file that is named must exist; the usual one need not, and can be switched off")
    func files() throws {
        let folder = try TemporaryFolder()
        let environment = ["XDG_CONFIG_HOME": folder.path]
        func retries(_ arguments: [String], _ more: [String: String] = [:]) throws -> String? {
            try CommandSettings.load(
                arguments: arguments, environment: environment.merging(more) { $1 }
            ).file.text("retries")
        }
        #expect(try retries([]) == nil)
        #expect(throws: DownloadError.self) { try retries(["--config", folder.path + "/none"]) }
        try FileManager.default.createDirectory(atPath: folder.path + "/haul", withIntermediateDirectories: true)
        try Data("retries = 8".utf8).write(to: URL(filePath: folder.path + "/haul/config.toml"))
        try Data("retries = 9".utf8).write(to: URL(filePath: folder.path + "/other.toml"))
        #expect(try retries([]) == "8" && retries(["--no-config"]) == nil)
        #expect(try retries([], ["HAUL_NO_CONFIG": "1"]) == nil)
        #expect(try retries([], ["HAUL_NO_CONFIG": "true"]) == nil && retries([], ["HAUL_CONFIG": ""]) == nil)
        #expect(try retries([], ["HAUL_NO_CONFIG": "0"]) == "8" && retries([], ["HAUL_NO_CONFIG": "false"]) == "8")
        #expect(throws: DownloadError.self) { try retries([], ["HAUL_NO_CONFIG": "yes"]) }
        #expect(try retries(["--config=\(folder.path)/other.toml"]) == "9")
        #expect(try retries(["--config", folder.path + "/other.toml"], ["HAUL_CONFIG": ""]) == "9")
        #expect(try retries([], ["HAUL_CONFIG": folder.path + "/other.toml"]) == "9")
    }

    @Test("the daemon and the command know each other's variables; those of hooks are no options")
    func names() {
        #expect(EnvironmentNames.warnings(["HAUL_RETRIES": "1", "HAUL_CONFIG": "", "HAUL_STATE_FOLDER": "/"]).isEmpty)
        #expect(EnvironmentNames.warnings(["HAUL_RETRYS": "1"]).first?.contains("HAUL_RETRIES") == true)
        #expect(
            EnvironmentNames.warnings(["HAUL_FOO": "1"]).first?.hasSuffix(" is not a setting and is ignored") == true)
        #expect(CommandSetting.named("key")?.variable == nil && CommandSetting.named("group")?.variable == nil)
    }
}
