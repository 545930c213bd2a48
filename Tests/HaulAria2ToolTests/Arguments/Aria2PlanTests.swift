import Haul
import HaulAria2
import HaulAria2Tool
import HaulCore
import Testing

@Suite("What a run of aria2c is to do")
struct Aria2PlanTests {
    static func plan(_ arguments: String) throws -> Aria2Plan {
        let read = try Aria2Arguments(arguments.split(separator: " ").map(String.init))
        return Aria2Plan(options: read.options, uris: read.uris, folder: "/home/me")
    }

    @Test("URIs are sources of one file, unless they are told to be files of their own")
    func downloads() throws {
        #expect(try Self.plan("a b").downloads() == [["a", "b"]])
        #expect(try Self.plan("-Z a b").downloads() == [["a"], ["b"]])
        #expect(try Self.plan("-Z -P {a,b} c").downloads() == [["a"], ["b"], ["c"]])
        #expect(try Self.plan("-P {a,b} c").downloads() == [["{a,b}", "c"]])
        #expect(throws: Aria2Failure.self) { try Self.plan("-Z -P {a").downloads() }
        #expect(try Self.plan("-q").isEmpty)
        #expect(try Self.plan("-q").problem == "Specify at least one URL.")
        for more in ["u", "-i x", "-M x", "--enable-rpc"] { #expect(try !Self.plan(more).isEmpty) }
    }

    @Test(
        "other machines can connect only with a secret; without one, as in Motrix, there is a warning",
        arguments: [
            ("--enable-rpc --rpc-listen-all --rpc-secret=s", true, false),
            ("--enable-rpc --rpc-listen-all", false, true),
            ("--enable-rpc --rpc-listen-all --rpc-secret=", false, true),
            ("--enable-rpc", false, false), ("--rpc-listen-all", false, false),
        ])
    func listening(arguments: String, isEverywhere: Bool, warns: Bool) throws {
        let plan = try Self.plan(arguments + " u")
        #expect(plan.problem == nil && plan.listensEverywhere == isEverywhere)
        #expect(plan.access.listensEverywhere == isEverywhere)
        #expect((plan.listeningWarning?.contains("--rpc-secret") == true) == warns)
    }

    @Test("options about how aria2 downloads are accepted, and named once")
    func tuning() throws {
        let plan = try Self.plan(
            "--reuse-uri=false --stream-piece-selector=geom --max-download-result=100 --piece-length=2M "
                + "--optimize-concurrent-downloads=true --min-tls-version=TLSv1.2 u")
        #expect(
            plan.idleOptions == "Options without effect: --max-download-result, --optimize-concurrent-downloads, "
                + "--piece-length, --reuse-uri, --stream-piece-selector")
        #expect(throws: Never.self) { try Self.plan("--min-tls-version=TLSv1.1 u") }
        for refused in ["--min-tls-version=TLSv1.3", "--save-cookies=c", "--proxy-method=tunnel", "--dry-run"] {
            #expect(throws: Aria2Arguments.Failure.self, "\(refused)") { try Self.plan("\(refused) u") }
        }
    }

    @Test("options without effect are named once")
    func idle() throws {
        #expect(try Self.plan("-x4 --retry-wait=3 u").idleOptions == nil)
        #expect(
            try Self.plan("--disk-cache=1M --seed-time=0 u").idleOptions
                == "Options without effect: --disk-cache, --seed-time")
        let many = try Self.plan(
            "--bt-tracker=a --dht-file-path=b --listen-port=1 --seed-time=0 --seed-ratio=1 --bt-max-peers=1 "
                + "--disk-cache=1M --enable-dht=true --event-poll=poll u")
        #expect(many.idleOptions?.hasSuffix(" and 1 more") == true)
    }

    @Test("a name and an identity are one download's, not everybody's")
    func own() throws {
        let plan = try Self.plan("-o x --gid=00000000000000ab -s3 u")
        #expect(plan.own.names == ["gid", "out"])
        #expect(plan.interface(netrc: nil).options.names == ["split"])
    }

    @Test("limits, certificates and ways are the manager's")
    func configuration() throws {
        let plan = try Self.plan(
            "-j7 --max-overall-download-limit=1M --ca-certificate=/ca --interface=10.0.0.1 --on-download-complete=./hook u"
        )
        let configuration = try plan.configuration(environment: [:])
        #expect(configuration.settings.limit == 7 && configuration.settings.rateLimit == 1 << 20)
        #expect(configuration.caCertificatePath == "/ca" && configuration.localAddress == "10.0.0.1")
        #expect(configuration.settings.hooks.map { $0.arguments.last } == ["/home/me/./hook"])
        #expect(try Self.plan("--disable-ipv6 u").configuration(environment: [:]).localAddress == "0.0.0.0")
        #expect(try Self.plan("u").configuration(environment: [:]).settings.limit == 5)
        let named = ["SSL_CERT_FILE": "/dev/null"]
        #expect(try Self.plan("u").configuration(environment: named).caCertificatePath == "/dev/null")
        #expect(try Self.plan("--ca-certificate=/ca u").configuration(environment: named).caCertificatePath == "/ca")
        let absent = ["SSL_CERT_FILE": "/nothing/here"]
        #expect(try Self.plan("u").configuration(environment: absent).caCertificatePath == nil)
    }

    @Test(
        "the stop hook is run only on ends without a hook of their own",
        arguments: [
            ("--on-download-stop=/s", "/s", "/s"), ("--on-download-stop=/s --on-download-complete=/c", "/c", "/s"),
            ("--on-download-stop=/s --on-download-error=/e", "/s", "/e"),
            ("--on-download-stop=/s --on-download-complete=/c --on-download-error=/e", "/c", "/e"),
            ("--on-download-error=e/e", nil, "/home/me/e/e"),
            ("--on-download-complete=c", "c", nil),
        ] as [(String, String?, String?)])
    func hooks(arguments: String, complete: String?, error: String?) throws {
        let plan = try Self.plan(arguments + " u")
        #expect(plan.hookProgram(for: .completed) == complete && plan.hookProgram(for: .failed) == error)
        #expect(plan.hookProgram(for: .started) == nil)
        #expect(try Self.plan("--on-download-start=/x u").hookProgram(for: .started) == "/x")
        let hooks = try plan.configuration(environment: [:]).settings.hooks
        let areInherited = hooks.allSatisfy(\.inheritsOutput)
        #expect(areInherited)
        #expect(
            hooks.filter { $0.on.contains(.completed) }.map { $0.arguments.last } == [complete].filter { $0 != nil })
        #expect(hooks.filter { $0.on.contains(.failed) }.map { $0.arguments.last } == [error].filter { $0 != nil })
    }

    @Test("a proxy of the command line counts before the environment's")
    func proxies() throws {
        func settings(_ arguments: String, _ environment: [String: String]) throws -> ProxySettings {
            try Self.plan(arguments + " u").configuration(environment: environment).proxies
        }
        let environment = ["http_proxy": "http://env:1", "no_proxy": "a"]
        #expect(try settings("", environment) == ProxySettings(environment: environment))
        #expect(
            try settings("--all-proxy=http://p:1", environment)
                == ProxySettings(environment: ["all_proxy": "http://p:1", "no_proxy": "a"]))
        #expect(try settings("--all-proxy=", environment).isEmpty)
        #expect(
            try settings("--http-proxy=http://p:1 --no-proxy=", environment)
                == ProxySettings(environment: ["http_proxy": "http://p:1"]))
        var named = try ProxySettings(environment: ["all_proxy": "http://p:1"])
        named.setCredentials(user: "u", password: "p")
        #expect(try settings("--all-proxy=http://p:1 --all-proxy-user=u --all-proxy-passwd=p", [:]) == named)
    }

    @Test("certificates, cookies and netrc hold for every download; without a secret nothing leaves the folder")
    func template() throws {
        let spec = try Self.plan("--check-certificate=false --load-cookies=/c --certificate=/a --private-key=/b u")
            .template(netrc: "/n")
        #expect(spec.insecure && spec.cookiePath == "/c" && spec.netrcPath == "/n")
        #expect(spec.clientCertificatePath == "/a" && spec.clientKeyPath == "/b")
        #expect(try Self.plan("-n u").template(netrc: "/n").netrcPath == nil)
        #expect(try !Self.plan("u").template(netrc: nil).insecure)
        #expect(try Self.plan("u").template(netrc: nil).maxWait == .seconds(60))
        #expect(try Self.plan("--enable-rpc").template(netrc: nil).maxWait == nil)
        #expect(try Self.plan("--enable-rpc").interface(netrc: nil).roots.roots == ["/home/me"])
        #expect(try Self.plan("--enable-rpc -d x").interface(netrc: nil).roots.roots == ["/home/me/x"])
        let secret = try Self.plan("--enable-rpc --rpc-secret=s --rpc-allow-origin-all").interface(netrc: nil)
        #expect(secret.roots.roots == nil && secret.secret == "s")
        #expect(try Self.plan("--enable-rpc --rpc-secret=").interface(netrc: nil).secret == nil)
    }

    @Test("the configuration file: blanks at both ends are ignored, and ${HOME} is expanded in paths")
    func settingValues() throws {
        let settings = try Aria2Settings(
            parsing: "split = 3 \nuser-agent = a b \t\nout=${HOME}/f \ncontinue= \nlog= \n", file: "f")
        #expect(settings.options.number("split") == 3 && settings.options["user-agent"] == "a b")
        let out = try #require(Aria2Option.named("out"))
        #expect(settings.options["out"] == out.expandingHome("${HOME}/f"))
        #expect(settings.options.isSet("continue") && settings.options["log"] == nil)
        #expect(try Aria2Arguments(["--out=${HOME}/f"]).options["out"] == out.expandingHome("${HOME}/f"))
        #expect(try Aria2Arguments(["-o", "${HOME}/f"]).options["out"] == out.expandingHome("${HOME}/f"))
    }

    @Test("downloads are added as paused only if clients can resume them")
    func pause() throws {
        #expect(try !Self.plan("--pause u").interface(netrc: nil).allowsPause)
        #expect(try Self.plan("--pause --enable-rpc u").interface(netrc: nil).allowsPause)
    }

    @Test("the configuration file: names and values, comments, warnings for unknown names, bad values named")
    func settings() throws {
        let settings = try Aria2Settings(
            parsing: "# c\n\n split = 3\ncontinue=true\r\nnonsense=1\nheader=A: b\nheader=C: d\nalone\n"
                + "remote-time\nsave-session=\n", file: "f")
        #expect(settings.options.names == ["continue", "header", "remote-time", "split"])
        #expect(settings.options.list("header") == ["A: b", "C: d"])
        #expect(settings.warnings == ["f, line 5: unknown option nonsense", "f, line 8: unknown option alone"])
        for (text, option) in [
            ("# c\r\n\nsplit=x", "--split"), ("\n\ndaemon=true\nsplit=2", "--daemon"),
            ("a=b\n\nsave-cookies=f", "--save-cookies"),
        ] {
            let failure = #expect(throws: Aria2Arguments.Failure.self) {
                try Aria2Settings(parsing: text, file: "/h/aria2.conf")
            }
            #expect(
                failure?.message.hasPrefix("/h/aria2.conf, line 3: ") == true
                    && failure?.message.contains(option) == true)
        }
        let several = #expect(throws: Aria2Arguments.Failure.self) {
            try Aria2Settings(parsing: "daemon=true\nsplit=2\nsave-cookies=f\nsplit=x\n", file: "f")
        }
        #expect(several?.message.hasPrefix("f, line 1: ") == true)
        #expect(several?.others.map { $0.prefix(9) } == ["f, line 3", "f, line 4"])
        #expect(try Aria2Settings(parsing: "daemon=false", file: "f").options.names == ["daemon"])
        #expect(
            Aria2Settings.paths(home: "/h", configurations: nil) == [
                "/h/.aria2/aria2.conf", "/h/.config/aria2/aria2.conf",
            ])
        #expect(Aria2Settings.paths(home: nil, configurations: "/c") == ["/c/aria2/aria2.conf"])
        #expect(Aria2Settings.paths(home: nil, configurations: nil).isEmpty)
    }
}
