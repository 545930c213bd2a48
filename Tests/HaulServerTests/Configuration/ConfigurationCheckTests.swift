import Foundation
import Haul
import HaulCore
import HaulLibC
import HaulServer
import HaulTesting
import Testing

@Suite("The check of a configuration")
struct ConfigurationCheckTests {
    private let folder: TemporaryFolder
    private let environment: [String: String]

    init() throws {
        folder = try TemporaryFolder()
        environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin"]
    }

    private func check(
        _ text: String, flags: [ConfigurationKey: [String]] = [:], _ more: [String: String] = [:]
    ) throws -> ConfigurationCheck {
        var file = ConfigurationFile(collecting: text)
        file.path = "/etc/d.toml"
        let environment = environment.merging(more) { $1 }
        return ConfigurationCheck(
            ConfigurationReader(flags: flags, environment: environment, file: file), environment: environment)
    }

    @Test("a valid one has no problems, and nothing is created")
    func valid() throws {
        let found = try check("jobs = 4\n")
        #expect(found.problems.isEmpty && found.configuration?.settings.limit == 4)
        #expect(found.warnings == ["the folder \(folder.path)/Downloads does not exist: it is created at the start"])
        #expect(folder.names.isEmpty)
    }

    @Test("each problem names its line, option or variable")
    func places() throws {
        let root = folder.path
        func messages(
            _ text: String, flags: [ConfigurationKey: [String]] = [:], _ more: [String: String] = [:]
        ) throws -> [String] {
            try check("roots = [\"\(root)\"]\n" + text, flags: flags, more).problems.map(\.message)
        }
        #expect(
            try messages("jobs = -1") == ["/etc/d.toml, line 2: jobs: expected a number from 0 to 10000, found \"-1\""])
        let hook = try messages("jobs = 1\n[[hooks]]\non = [\"completed\"]\ncommand = [\"no-such-program\"]")
        #expect(
            hook == ["/etc/d.toml, line 3: hooks: the command \"no-such-program\" does not exist or can't be run"])
        let certificate = try messages("ca-certificate = \"/no/such\"")
        #expect(certificate == ["/etc/d.toml, line 2: ca-certificate: can't read certificates from /no/such"])
        let secret = try messages("webhook = \"https://h/x\"\nwebhook-secret-file = \"/no/such\"")
        #expect(secret.count == 1 && secret[0].hasPrefix("/etc/d.toml, line 3: webhook-secret-file: "), "\(secret)")
        #expect(try messages("", ["HAUL_PROXY": "nonsense://"]).first?.hasPrefix("HAUL_PROXY: ") == true)
        let option = try messages("", flags: [.roots: ["/no/such"]])
        #expect(option.count == 1 && option[0].hasPrefix("--root: the root /no/such is not a folder"), "\(option)")
        let long = "/" + String(repeating: "s", count: 120) + "/d.sock"
        #expect(try messages("", flags: [.socket: [long]]).first?.contains("too long for a Unix socket") == true)
    }

    @Test("all problems are reported, not only the first one")
    func several() throws {
        let found = try check(
            "roots = [\"/no/a\", \"/no/b\"]\nca-certificate = \"/no/c\"\n[[hooks]]\non = [\"idle\"]\ncommand = [\"/no/d\"]\n"
        )
        #expect(found.problems.count == 4)
        #expect(
            ["/no/a", "/no/b", "/no/c", "/no/d"].allSatisfy { path in
                found.problems.contains { $0.message.contains(path) }
            })
    }

    @Test("errors of syntax and of values are reported for all lines")
    func lines() throws {
        let found = try check(
            """
            roots = ["\(folder.path)"]
            port = "x"
            jobs 3
            order = random
            hosts = [a]
            prot = 1
            keep-events = 0
            webhook = "ftp://h/"
            webhook-on = ["end"]
            [[hook]]
            on = 1
            [[hooks]]
            on = ["idle"]
            command = ["/no/such"]
            [hooks]
            on = 3
            [[hooks]]
            on = ["idle"]
            """)
        let starts = [
            "line 3: expected NAME = VALUE", "line 4: strings must be quoted", "line 5: strings must be quoted",
            "line 15: expected a table", "line 6: unknown setting \"prot\"", "line 10: unknown setting \"hook\"",
            "line 17: a hook needs on", "line 2: port: expected a number", "line 9: webhook-on: unknown event",
            "line 8: webhook: the webhook URL", "line 7: keep-events: expected a number",
            "line 12: hooks: the command",
        ]
        #expect(found.problems.count == starts.count)
        for (problem, start) in zip(found.problems, starts) {
            #expect(problem.message.hasPrefix("/etc/d.toml, \(start)"), "\(problem.message)")
        }
        #expect(found.configuration == nil && found.warnings.isEmpty)
    }

    @Test("an error hides no other one, in hooks and among settings that belong together")
    func together() throws {
        let found = try check(
            """
            roots = ["\(folder.path)"]
            address = "0.0.0.0"
            port = 7373
            jobs = "x"
            webhook = "ftp://h/"
            webhook-secret-file = "/no/secret"
            [[hooks]]
            on = ["done", "end"]
            command = "text"
            wait = 1
            timeout = "x"
            [[hooks]]
            on = ["done"]
            command = ["/no/such"]
            timeout = -1
            """)
        let starts = [
            "line 7: unknown field \"wait\"", "line 7: a hook needs on", "line 7: timeout: expected a number",
            "line 2: address: 0.0.0.0 can be reached", "line 5: webhook: the webhook URL", "line 4: jobs: expected",
            "line 12: unknown event \"done\": expected", "line 12: the timeout of a hook",
            "line 7: unknown event \"done\", \"end\": expected", "line 12: hooks: the command",
            "line 6: webhook-secret-file: ",
        ]
        #expect(found.problems.count == starts.count, "\(found.problems.map(\.message))")
        for start in starts {
            #expect(
                found.problems.contains { $0.message.hasPrefix("/etc/d.toml, \(start)") },
                "\(start): \(found.problems.map(\.message))")
        }
    }

    @Test("what follows from an error is not reported as another one")
    func consequences() throws {
        for (text, count) in [
            ("webhook = x\nwebhook-on = [\"idle\"]", 1), ("roots = [x]", 1),
            ("allow-remote = x\naddress = \"0.0.0.0\"\nport = 1", 1),
            ("allow-remot = true\naddress = \"0.0.0.0\"\nport = 1", 1),
            ("webhook \"https://h/\"\nwebhook-on = [\"idle\"]", 1),
            ("roots = [\n\"/a\" \"/b\",\n\"/c\"\n]\nport = \"x\"", 1), ("[hooks]\non = [\"idle\"]\ncommand = 1", 1),
        ] {
            let found = try check(text)
            #expect(found.problems.count == count, "\(text): \(found.problems)")
        }
        let none = try check("", flags: [.roots: []])
        #expect(none.problems.map(\.message).first?.hasPrefix("--root: the daemon has no folder") == true)
    }

    @Test("a socket folder of another user is for a service manager, and one of this user must be private")
    func socketFolder() throws {
        let text = "roots = [\"\(folder.path)\"]\nstate-folder = \"\(folder.path)/state\"\n"
        let shared = folder.path + "/run"
        try FileManager.default.createDirectory(
            atPath: shared, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        let flags = [ConfigurationKey.socket: [shared + "/daemon.sock"]]
        let own = try check(text, flags: flags).problems.map(\.message)
        #expect(
            own == ["--socket: the daemon's folder \(shared) must not be accessible to others: chmod 700 \(shared)"])
        // As systemd makes it; only root can make one here.
        var foreign = "/usr"
        if geteuid() == 0 {
            // Unsafe: the path is copied by the call.
            #expect(unsafe chown(shared, 12_345, 12_345) == 0)
            foreign = shared
        }
        let found = try check(text, flags: [.socket: [foreign + "/daemon.sock"]])
        #expect(found.problems.isEmpty && found.configuration != nil)
        #expect(found.warnings.count == 1 && found.warnings[0].contains("\(foreign) belongs to another user"))
        let paths = try #require(found.configuration?.paths)
        let error = #expect(throws: DownloadError.self) { try paths.prepare(makesSocket: true) }
        #expect(
            error?.message.hasSuffix("\(foreign) belongs to another user: choose another one with --socket") == true)
    }

    @Test("a state folder that can't be created is one problem, at the check and at the start")
    func impossibleFolder() throws {
        let file = folder.path + "/file"
        #expect(FileManager.default.createFile(atPath: file, contents: nil))
        for state in ["/proc/haul/state", file + "/state"] {
            let text = "roots = [\"\(folder.path)\"]\nstate-folder = \"\(state)\"\n"
            let problems = try check(text).problems
            #expect(problems.count == 1, "\(problems)")
            let place = "/etc/d.toml, line 2: state-folder: can't create the daemon's folder \(state)"
            #expect(problems.first?.message.hasPrefix(place) == true)
            var paths = DaemonPaths(environment: environment)
            paths.stateFolder = state
            let error = #expect(throws: DownloadError.self) { try paths.prepare(makesSocket: false) }
            #expect(error?.code == .fileFailed && error?.message.hasPrefix("can't create the daemon's folder") == true)
        }
        #expect(folder.names == ["file"])
    }

    @Test("a state folder or token that others can read is a problem")
    func access() throws {
        let state = folder.path + "/state"
        try FileManager.default.createDirectory(
            atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let text = "roots = [\"\(folder.path)\"]\nstate-folder = \"\(state)\"\nport = 0\n"
        #expect(try check(text).problems.map(\.message).first?.contains("chmod 700 \(state)") == true)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: state)
        #expect(try check(text).problems.isEmpty)
        #expect(
            FileManager.default.createFile(
                atPath: state + "/token", contents: Data(String(repeating: "k", count: 32).utf8),
                attributes: [.posixPermissions: 0o644]))
        #expect(try check(text).problems.map(\.message).first?.contains("chmod 600 \(state)/token") == true)
    }
}
