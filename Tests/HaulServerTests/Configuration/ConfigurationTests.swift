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
    func usual() throws {
        let usual = try read()
        #expect(usual.usualRoot == "/home/me/Downloads")
        #expect(usual.roots == ["/home/me/Downloads"] && usual.port == nil && usual.address == "127.0.0.1")
        #expect(usual.settings.limit == 3 && usual.settings.rateLimit == nil && !usual.privateAddresses)
        #expect(usual.paths.socket == "/run/user/1/haul/daemon.sock")
        #expect(usual.paths.catalogue == "/home/me/.local/state/haul/downloads.sqlite")
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
            concurrent-downloads = 5
            downloads-per-host = 2
            order = "lifo"
            rate-limit = "2M"
            rate-schedule = "22:00-06:00 unlimited, else 1M"
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
        #expect(all.settings.rateLimit == 2 << 20 && all.settings.rateSchedule?.otherwise == 1 << 20)
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
        case .rateSchedule: values = ["1M", "2M", "3M"]
        case .port, .concurrentDownloads, .downloadsPerHost, .rateLimit: values = ["1", "2", "3"]
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
            ("port = 70000", "port must be 0 to 65535"), ("port = \"x\"", "port should be a whole number"),
            ("rate-limit = \"fast\"", "rate-limit: "), ("order = \"random\"", "order should be one of fifo, lifo"),
            ("private-addresses = 1", "private-addresses should be true or false"),
            ("prot = 1", "\"prot\" is no setting"),
            ("port = ", "line 1 is no TOML"), ("a", "NAME = VALUE"), ("[hooks]", "[[NAME]]"),
            ("port = 1 2", "behind the value"),
            ("port = 1\n\nport = 2", "line 3 is no TOML: port stands there twice"), ("proxy = \"a", "no end"),
            ("proxy = \"\\x\"", "no such escape"), ("proxy = abc", "in quotation marks"),
            ("roots = [\"a\" \"b\"]", "a list is written"),
            ("[[other]]", "\"other\" is no setting"), ("roots = [[[[[[[[[[1]]]]]]]]]]", "nested too deep"),
            ("roots = \"\u{1}\"", "TOML"), ("state-folder = \"x\"", "state-folder should be an absolute"),
            ("hooks = 1", "hooks is a list"),
            ("[[hooks]]\non = [\"x\"]\ncommand = [\"p\"]", "\"x\" is nothing that a hook"),
            ("[[hooks]]\non = [\"failed\"]", "a hook is written as"),
            ("[[hooks]]\nrun = 1", "\"run\" is no field of a hook"),
            ("[[hooks]]\non = [\"failed\"]\ncommand = []", "a hook needs a program"),
            ("concurrent-downloads = -1", "concurrent-downloads must be 0"),
            ("rate-schedule = \"never\"", "rate-schedule: "), ("webhook = \"ftp://h/\"", "has to be http or https"),
            ("webhook = \"https://u:p@h/\"", "may hold no password"),
            ("webhook-on = [\"idle\"]", "webhook should be set"),
            ("webhook = \"http://h\"\nwebhook-on = [\"end\"]", "\"end\" is nothing that a hook"),
            ("webhook = \"http://h\"\nwebhook-secret-file = \"s\"", "webhook-secret-file should be an absolute"),
            ("address = \"0.0.0.0\"\nport = 1", "set allow-remote = true"),
            ("address = \"192.168.1.5\"\nport = 1", "set allow-remote = true"), ("roots = [[1]]", "roots should be"),
            ("port = [1, 2]", "port has one value"),
        ])
    func refused(file: String, words: String) {
        #expect(problem(file).contains(words), "\(problem(file))")
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
