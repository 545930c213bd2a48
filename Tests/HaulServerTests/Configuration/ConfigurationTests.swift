import Haul
import HaulCore
import HaulServer
import Logging
import Testing

@Suite("The daemon's configuration")
struct ConfigurationTests {
    private let home = ["HOME": "/home/me", "XDG_RUNTIME_DIR": "/run/user/1"]

    private func read(
        _ file: String = "", _ environment: [String: String] = [:], _ flags: [ConfigurationKey: [String]] = [:]
    ) throws -> DaemonConfiguration {
        try ConfigurationReader(
            flags: flags, environment: home.merging(environment) { $1 }, file: try ConfigurationFile(parsing: file)
        ).configuration()
    }

    private func problem(
        _ file: String = "", _ environment: [String: String] = [:], _ flags: [ConfigurationKey: [String]] = [:]
    ) -> String {
        do {
            _ = try read(file, environment, flags)
            return "no error"
        } catch let error as DownloadError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    @Test("Without anything: the folder for downloads, no port, the usual limits")
    func standard() throws {
        let standard = try read()
        #expect(standard.defaultRoot == "/home/me/Downloads")
        #expect(standard.roots == ["/home/me/Downloads"] && standard.port == nil && standard.address == "127.0.0.1")
        #expect(standard.settings.limit == 3 && standard.settings.rateLimit == nil && !standard.privateAddresses)
        #expect(standard.paths.socket == "/run/user/1/haul/daemon.sock")
        #expect(standard.paths.catalogue == "/home/me/.local/state/haul/downloads.sqlite")
    }

    @Test("Every setting can stand in the file")
    func file() throws {
        let all = try read(
            """
            roots = ["/a", "/b"]
            port = 7373
            address = "0.0.0.0"
            allow-remote = true
            hosts = ["haul.example"]
            private-addresses = true
            jobs = 5
            jobs-per-host = 2
            order = "lifo"
            limit-rate = "22:00-06:00 unlimited, else 1M"
            resume-at-start = false
            notifications = true
            ca-certificate = "/ca.pem"
            proxy = ""
            no-proxy = "h"
            webhook = "https://h.example/x"
            webhook-on = ["idle"]
            webhook-secret-file = "/secret"
            rpc-allow-origin-all = true
            log-level = "debug"
            log-format = "json"
            state-folder = "/state"
            socket = "/socket"

            [[hooks]]
            on = ["completed", "failed"]
            command = ["notify", "x"]
            timeout = 5
            """)
        #expect(all.roots == ["/a", "/b"] && all.port == 7373 && all.address == "0.0.0.0" && all.allowsRemote)
        #expect(all.hosts == ["haul.example"] && all.privateAddresses && !all.resumesAtStart && all.notifies)
        #expect(all.settings.limit == 5 && all.settings.hostLimit == 2 && all.settings.order == .lifo)
        #expect(all.settings.rateLimit == nil && all.settings.rateSchedule?.otherwise == 1 << 20)
        #expect(all.caCertificatePath == "/ca.pem" && all.proxy == "" && all.noProxy == "h" && all.logLevel == .debug)
        #expect(all.logFormat == .json)
        #expect(all.webhook == (try WebhookSettings(url: "https://h.example/x", on: [.idle], secretPath: "/secret")))
        #expect(all.allowsRPCFromAllOrigins)
        #expect(all.paths.stateFolder == "/state" && all.paths.socket == "/socket")
        let hook = try #require(all.settings.hooks.first)
        #expect(hook.on == [.completed, .failed] && hook.arguments == ["notify", "x"] && hook.timeout == .seconds(5))
    }

    @Test("A flag comes before the environment, and that before the file", arguments: ConfigurationKey.allCases)
    func order(key: ConfigurationKey) throws {
        let variable = "HAUL_" + key.rawValue.uppercased().replacing("-", with: "_")
        let values: [String]
        switch key {
        case .roots, .hosts, .stateFolder, .socket, .caCertificate, .proxy, .noProxy: values = ["/1", "/2", "/3"]
        case .address: values = ["127.0.0.1", "::1", "localhost"]
        case .webhook: values = ["http://h/1", "http://h/2", "https://h/3"]
        case .webhookOn: values = ["idle", "added", "started"]
        case .webhookSecretFile: values = ["/1", "/2", "/3"]
        case .allowRemote, .privateAddresses, .resumeAtStart, .autostart, .notifications, .rpcAllowOriginAll:
            values = ["true", "false", "true"]
        case .order: values = ["fifo", "lifo", "fifo"]
        case .logLevel: values = ["info", "debug", "error"]
        case .logFormat: values = ["text", "json", "journald"]
        case .port, .jobs, .jobsPerHost, .limitRate, .keepEvents, .keepHistory: values = ["1", "2", "3"]
        }
        // What belongs to a webhook says nothing without one.
        let more = key == .webhookOn || key == .webhookSecretFile ? "webhook = \"http://h/\"\n" : ""
        let line = more + "\(key.rawValue) = " + (key.isList ? "[\"\(values[0])\"]" : "\"\(values[0])\"")
        let file = try shown(read(line))
        let environment = try shown(read(line, [variable: values[1]]))
        let flag = try shown(read(line, [variable: values[1]], [key: [values[2]]]))
        #expect(file == shown(try read(more, [:], [key: [values[0]]])))
        #expect(environment == shown(try read(more, [:], [key: [values[1]]])))
        #expect(flag == shown(try read(more, [:], [key: [values[2]]])))
        #expect(file != environment && environment != flag)
    }

    private func shown(_ configuration: DaemonConfiguration) -> String { "\(configuration)" }

    @Test(
        "What can't be right is refused with a line that names it",
        arguments: [
            ("port = 70000", "line 1: port: expected a number from 0 to 65535, found \"70000\""),
            ("\nport = \"x\"", "line 2: port: expected a number from 0 to 65535, found \"x\""),
            ("limit-rate = \"fast\"", "limit-rate: "),
            ("order = \"random\"", "line 1: order: expected one of fifo, lifo"),
            ("private-addresses = 1", "private-addresses: expected true or false"),
            ("prot = 1", "line 1: unknown setting \"prot\": did you mean port?"),
            ("port = ", "line 1: expected a value"), ("a", "NAME = VALUE"), ("[hooks]", "[[NAME]]"),
            ("port = 1 2", "after the value"),
            ("port = 1\n\nport = 2", "line 3: port is set twice"), ("proxy = \"a", "not closed"),
            ("proxy = \"\\x\"", "unknown escape"), ("proxy = abc", "line 1: strings must be quoted"),
            ("port = 1\nroots = [\n\n", "line 2: the list is not closed: expected ]"),
            ("roots = [\"a\" \"b\"]", "expected , or ] in a list"),
            ("[[other]]", "line 1: unknown setting \"other\""), ("roots = [[[[[[[[[[1]]]]]]]]]]", "nested too deep"),
            ("roots = \"\u{1}\"", "control character"),
            ("state-folder = \"x\"", "state-folder: expected an absolute path"),
            ("hooks = 1", "expected hooks as tables"),
            ("[[hooks]]\non = [\"x\"]\ncommand = [\"p\"]", "line 1: unknown event \"x\""),
            ("[[hooks]]\non = [\"failed\"]", "line 1: a hook needs on ="),
            ("[[hooks]]\nrun = 1", "line 1: unknown field \"run\" of a hook"),
            ("[[hooks]]\non = [\"failed\"]\ncommand = []", "a hook needs a program"),
            ("jobs = -1", "jobs: expected a number from 0"),
            ("limit-rate = \"never\"", "limit-rate: "),
            ("webhook = \"ftp://h/\"", "line 1: webhook: the webhook URL must be http or https"),
            ("webhook = \"https://u:p@h/\"", "must not contain a password"),
            ("webhook-on = [\"idle\"]", "line 1: webhook-on: requires webhook"),
            ("webhook = \"http://h\"\nwebhook-on = [\"end\"]", "unknown event \"end\""),
            ("webhook = \"http://h\"\nwebhook-secret-file = \"s\"", "webhook-secret-file: expected an absolute path"),
            ("address = \"0.0.0.0\"\nport = 1", "line 1: address: 0.0.0.0 can be reached"),
            ("address = \"192.168.1.5\"\nport = 1", "set allow-remote = true"),
            ("roots = [[1]]", "roots: expected a string"),
            ("port = [1, 2]", "port: expected one value"),
        ])
    func refused(file: String, words: String) {
        #expect(problem(file).contains(words), "\(problem(file))")
    }

    @Test("~/ at the beginning of a path is the home folder, in the file and in variables")
    func homeFolder() throws {
        let read = try read(
            """
            roots = ["~/films", "/~/b"]
            state-folder = "~/s"
            socket = "~/r/d.sock"
            ca-certificate = "~/ca.pem"
            webhook = "http://h/~/x"
            webhook-secret-file = "~/secret"
            no-proxy = "~/"
            """)
        #expect(read.roots == ["/home/me/films", "/~/b"] && read.paths.stateFolder == "/home/me/s")
        #expect(read.paths.socket == "/home/me/r/d.sock" && read.caCertificatePath == "/home/me/ca.pem")
        #expect(read.webhook?.secretPath == "/home/me/secret" && read.webhook?.url.path == "/~/x")
        #expect(read.noProxy == "~/")
        #expect(try self.read("", ["HAUL_ROOTS": "/a,~/b"]).roots == ["/a", "/home/me/b"])
    }

    @Test("A wrong value is named by where it stands: an option, a variable, or a line of the file")
    func origins() throws {
        func message(_ environment: [String: String], _ flags: [ConfigurationKey: [String]]) throws -> String? {
            var file = try ConfigurationFile(parsing: "order = \"x\"")
            file.path = "/d.toml"
            let error = #expect(throws: DownloadError.self) {
                try ConfigurationReader(flags: flags, environment: environment, file: file).configuration()
            }
            return error?.message
        }
        let rest = ": expected one of fifo, lifo, found"
        #expect(try message([:], [:]) == "/d.toml, line 1: order\(rest) \"x\"")
        #expect(try message(["HAUL_ORDER": "y"], [:]) == "HAUL_ORDER\(rest) \"y\"")
        #expect(try message(["HAUL_ORDER": "y"], [.order: ["z"]]) == "--order\(rest) \"z\"")
    }

    @Test("Texts, lists over lines, comments and escapes are read as TOML has them")
    func toml() throws {
        let read = try read(
            """
            # a comment
            "proxy" = 'C:\\x' # behind it\r
            no-proxy = "a\\t\\"b\\" \\u00e4 # no comment"
            roots = [ # one
              "/a",
              '/b', # two
            ]
            port = 7_373
            [[hooks]] # one
            on = ["idle"]
            command = ["p"]
            timeout = 1.5
            """)
        #expect(read.proxy == "C:\\x" && read.noProxy == "a\t\"b\" \u{e4} # no comment")
        #expect(
            read.roots == ["/a", "/b"] && read.port == 7373 && read.settings.hooks.first?.timeout == .milliseconds(1500)
        )
    }

    @Test("No text is too odd to be read or refused", arguments: 0..<200)
    func anything(seed: UInt64) {
        var generator = SplitMix(state: seed)
        let pieces = [
            "port", "=", "[[hooks]]", "\"", "1", "\n", "{", "}", "[", "]", "roots", ".", "'''", "#", "\0", "on", "true",
            ",",
        ]
        let text = (0..<30).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined(separator: " ")
        _ = problem(text)
    }
}

private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
