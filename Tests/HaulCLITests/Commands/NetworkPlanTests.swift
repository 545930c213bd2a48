import ArgumentParser
import HaulCore
import HaulTesting
import Testing

@testable import HaulCLI

@Suite struct NetworkPlanTests {
    private func plan(_ arguments: [String]) throws -> GetPlan {
        let command = try #require(try HaulCommand.parseAsRoot(["get", "http://h/x"] + arguments) as? GetCommand)
        return try GetPlan(command.arguments)
    }

    private func problems(_ arguments: [String]) throws -> [String] {
        do {
            _ = try plan(arguments)
            return []
        } catch let problems as InvalidOptions {
            return problems.messages
        }
    }

    /// A world with these files and variables.
    private func input(_ files: [String: String] = [:], _ variables: [String: String] = [:], response: String? = nil)
        -> SecretInput
    {
        SecretInput(
            variable: { variables[$0] },
            line: { (path, what) throws(DownloadError) in
                guard let line = files[path] else {
                    throw DownloadError(.invalidRequest, "\(what), \(path), can't be read")
                }
                return line
            },
            ask: { (prompt) throws(DownloadError) in
                guard let response else { throw DownloadError(.invalidRequest, "no terminal") }
                return prompt + response
            })
    }

    @Test func withoutOptionsNothingChanges() throws {
        var plan = try plan([])
        var spec = DownloadSpec(url: "", destination: .folder(path: "."))
        spec.maxWait = .seconds(60)
        #expect(plan.template == spec && plan.network == NetworkPlan())
        try plan.readSecrets(input())
        #expect(plan.template == spec && plan.proxies.isEmpty)
    }

    @Test(
        "a file that can't be read is reported with its option, before anything is asked",
        arguments: [
            "--ca-certificate", "--client-certificate", "--netrc-file", "--load-cookies", "--bearer-file",
            "--proxy-user-file",
        ])
    func unreadable(option: String) throws {
        var plan = try plan([option, "/none"])
        var input = input()
        input.unreadable = { $0 == "/none" ? "No such file or directory" : nil }
        let error = #expect(throws: DownloadError.self) { try plan.readSecrets(input) }
        #expect(error?.description == "\(option) /none: No such file or directory" && error?.code == .invalidRequest)
    }

    @Test("what is not a certificate is reported with the option", .enabled(if: BuiltProgram.exists))
    func certificates() async throws {
        let folder = try TemporaryFolder()
        try folder.put([1], "f")
        for (path, reason) in [
            ("f", "--ca-certificate: can't read the certificates in f: expected a PEM file"),
            ("none", "--ca-certificate none: No such file or directory"),
        ] {
            let end = try await BuiltProgram.run(["get", "http://127.0.0.1:1/a", "--ca-certificate", path], in: folder)
            #expect(end.status == 2 && end.error == "haul: \(reason)\n")
        }
    }

    @Test func everyOptionReachesThePlan() throws {
        var plan = try plan([
            "--user", "me", "--password-file", "p", "--auth", "digest", "--netrc-file", "n", "--load-cookies", "c",
            "--client-certificate", "cert", "--client-key", "key", "--proxy", "http://p:1", "--no-proxy", "x",
            "--proxy-user-file", "pu",
            "--interface", "eth0",
        ])
        try plan.readSecrets(input(["p": "hunter1", "pu": "you:hunter:2"]))
        var spec = DownloadSpec(url: "", destination: .folder(path: "."))
        spec.maxWait = .seconds(60)
        spec.user = "me"
        spec.password = .text("hunter1")
        spec.authentication = .digest
        spec.netrcPath = "n"
        spec.cookiePath = "c"
        spec.clientCertificatePath = "cert"
        spec.clientKeyPath = "key"
        #expect(plan.template == spec && plan.network.localAddress == "eth0")
        let proxy = try #require(try plan.proxies.proxy(for: SourceURL(parsing: "http://h/").origin))
        #expect(
            proxy.description == "http://p:1" && proxy.credentials == URLCredentials(user: "you", password: "hunter:2"))
        #expect(try plan.proxies.proxy(for: SourceURL(parsing: "http://a.x/").origin) == nil)
    }

    @Test(
        arguments: [
            (["-4"], "0.0.0.0"), (["-6"], "::"), (["--ipv4"], "0.0.0.0"), (["--interface", "10.0.0.1"], "10.0.0.1"),
            ([], nil),
        ] as [([String], String?)])
    func whereFrom(arguments: [String], address: String?) throws {
        #expect(try plan(arguments).network.localAddress == address)
    }

    @Test(
        arguments: [
            (["--user", "a:b"], "--user: expected only a name"), (["--user", ""], "--user: expected only a name"),
            (["--password-file", "p"], "--password-file requires --user"),
            (["--user", "a", "--bearer-file", "b"], "--bearer-file and --user cannot be combined"),
            (
                ["--auth", "kerberos"],
                "--auth: invalid value \"kerberos\": expected one of any, basic, digest, ntlm, negotiate"
            ),
            (["--client-key", "k"], "--client-key requires --client-certificate"),
            (["-4", "-6"], "--interface, -4 and -6"),
            (["-6", "--interface", "lo"], "--interface, -4 and -6"),
            (["--proxy", "ftp://p"], "--proxy: invalid proxy \"ftp://p\""),
            (["--netrc-file", ""], "--netrc-file: expected a file"),
            (["--load-cookies", ""], "--load-cookies: expected a file"),
            (["--proxy-user-file", ""], "--proxy-user-file is empty"),
            (["--client-certificate", ""], "--client-certificate: expected a file"),
            (
                ["--bearer-file", "-", "--proxy-user-file", "-"],
                "standard input can be read only once, not for --bearer-file and"
            ),
            (
                ["--bearer-file", "-", "-i", "-"],
                "standard input can be read only once, not for --bearer-file and --input-file"
            ),
        ] as [([String], String)])
    func eachWrongOptionIsNamedInOneLine(arguments: [String], start: String) throws {
        let messages = try problems(arguments)
        #expect(messages.count == 1 && messages.first?.hasPrefix(start) == true, "\(messages)")
    }

    @Test func aPasswordInTheOptionIsNotShown() throws {
        let shown = try problems(["--user", "me:hunter2"]) + problems(["--proxy", "x://me:hunter2@p"])
        #expect(shown.count == 2 && !"\(shown)".contains("hunter2"))
    }

    @Test func aTerminalIsAskedWhereThereIsNoFile() throws {
        var plan = try plan(["--user", "me\u{1B}"])
        try plan.readSecrets(input(response: "hunter1"))
        guard case .text(let text) = plan.template.password else { throw DownloadError(.internal, "no password") }
        #expect(text.hasPrefix("Password for me") && text.hasSuffix(": hunter1") && !text.contains("\u{1B}"))
        var other = try self.plan(["--user", "me"])
        #expect(throws: DownloadError.self) { try other.readSecrets(input()) }
    }

    @Test func aTokenIsRead() throws {
        var plan = try plan(["--bearer-file", "-"])
        try plan.readSecrets(input(["-": "token"]))
        #expect(plan.template.bearerToken == .text("token"))
    }

    @Test(
        arguments: [
            ([:], "/.netrc"), (["HOME": "/h"], "/h/.netrc"), (["HOME": "/h", "NETRC": "/n"], "/n"),
            (["HOME": "/h", "NETRC": ""], "/h/.netrc"),
        ] as [([String: String], String)])
    func whereTheNetrcIs(variables: [String: String], path: String) throws {
        var plan = try plan(["--netrc"])
        try plan.readSecrets(input([:], variables))
        #expect(plan.template.netrcPath == path)
        var named = try self.plan(["--netrc", "--netrc-file", "mine"])
        try named.readSecrets(input([:], variables))
        #expect(named.template.netrcPath == "mine")
    }

    @Test(
        arguments: [
            ([], ["https_proxy": "e:1"], "http://e:1"), ([], ["https_proxy": "e:1", "NO_PROXY": "h"], nil),
            (["--no-proxy", ""], ["https_proxy": "e:1", "NO_PROXY": "h"], "http://e:1"),
            (["--proxy", ""], ["all_proxy": "e:1"], nil),
            (["--proxy", "o:2"], ["https_proxy": "e:1"], "http://o:2"), (["--proxy", "o:2"], ["NO_PROXY": "h"], nil),
            (["--proxy", "o:2"], ["no_proxy": "x", "NO_PROXY": "h"], "http://o:2"),
            (["--no-proxy", "h"], ["ALL_PROXY": "e:1"], nil),
        ] as [([String], [String: String], String?)])
    func proxies(arguments: [String], variables: [String: String], proxy: String?) throws {
        var plan = try plan(arguments)
        try plan.readSecrets(input([:], variables))
        #expect(try plan.proxies.proxy(for: SourceURL(parsing: "https://h/").origin)?.description == proxy)
    }

    @Test func aProxyUserWithoutAColon() throws {
        var plan = try plan(["--proxy", "p", "--proxy-user-file", "f"])
        let error = #expect(throws: DownloadError.self) { try plan.readSecrets(input(["f": "hunter2"])) }
        #expect(error?.message.contains("hunter2") == false)
    }
}
