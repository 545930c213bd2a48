import ArgumentParser
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Habits of curl, wget and aria2") struct HabitHintTests {
    private func message(_ arguments: [String]) throws -> String {
        let error = try #require(throws: (any Error).self) { _ = try HaulCommand.parseAsRoot(arguments) }
        return HaulCommand.message(for: error)
    }

    /// The options of `haul get`: parsing a line takes so long without optimisation that most tests only compare names.
    private static let own = GetCommand.optionNames

    @Test("every option that has a hint is unknown to haul get, and the hint is found", arguments: HabitHint.options)
    func known(option: String) throws {
        #expect(Self.own.contains("--output") && Self.own.contains("-o") && !Self.own.contains(option))
        let line = try #require(HabitHint.line(for: "Unknown option '\(option)'", arguments: ["get", option]))
        #expect(line.hasPrefix(option + ": ") && !line.contains("\n"))
    }

    @Test("the parser's messages are understood", arguments: ["-L", "--tries", "-nc", "--continue-at", "-x"])
    func parsed(option: String) throws {
        for arguments in [["get", option, "http://h/a"], ["get", "http://h/a", option]] {
            let message = try message(arguments)
            let line = try #require(HabitHint.line(for: message, arguments: arguments), "\(message)")
            #expect(line.hasPrefix(option + ": "))
        }
    }

    private static let help = HaulCommand.helpMessage(for: GetCommand.self, columns: 100)

    @Test("every option that a hint names exists", arguments: HabitHint.options)
    func named(option: String) throws {
        let line = try #require(HabitHint.line(for: "Unknown option '\(option)'"))
        for word in line.dropFirst(option.count).split(whereSeparator: { " ;:,".contains($0) })
        where word.hasPrefix("-") {
            #expect(Self.help.contains(" \(word)") || Self.help.contains("-\(word)"), "\(word)")
        }
    }

    @Test("the most used long options of each program are options of haul get or have a hint", arguments: Self.usual)
    func mostUsed(option: String) throws {
        guard !Self.own.contains(option) else { return }
        for word in [option, option + "=x"] {
            let line = try #require(HabitHint.line(for: "Unknown option '\(word)'", arguments: ["get", word]))
            #expect(line.hasPrefix(option + ": ") && !line.contains("Did you mean"))
        }
    }

    static let usual = (curl + wget + aria2).split(separator: " ").map { "--\($0)" }
    private static let curl = """
        anyauth basic cacert cert compressed config connect-timeout connect-to continue-at cookie cookie-jar create-dirs data \
        data-binary data-raw data-urlencode digest dump-header fail fail-with-body form get globoff head header http1.1 http2 \
        include insecure interface ipv4 ipv6 json key limit-rate location location-trusted max-filesize max-redirs max-time \
        negotiate netrc netrc-file no-buffer no-progress-meter noproxy ntlm oauth2-bearer output output-dir parallel \
        parallel-max progress-bar proxy proxy-user range referer remote-header-name remote-name remote-name-all remote-time \
        request resolve retry retry-all-errors retry-connrefused retry-delay retry-max-time show-error silent socks4 socks5 \
        socks5-hostname speed-limit speed-time stderr tlsv1.2 trace-ascii upload-file url user user-agent verbose write-out
        """
    private static let wget = """
         accept adjust-extension append-output ask-password background base bind-address ca-certificate certificate \
        compression config connect-timeout content-disposition continue convert-links cut-dirs debug delete-after \
        directory-prefix dns-timeout domains execute follow-ftp force-directories ftp-password ftp-user header http-password \
        http-user input-file level limit-rate load-cookies max-redirect method mirror no-cache no-check-certificate \
        no-clobber no-directories no-host-directories no-netrc no-parent no-proxy no-verbose output-document output-file \
        page-requisites password post-data post-file private-key progress proxy-password proxy-user quiet quota random-wait \
        read-timeout recursive referer reject restrict-file-names retry-connrefused save-cookies save-headers \
        server-response show-progress span-hosts spider start-pos timeout timestamping tries trust-server-names user \
        user-agent verbose wait waitretry
        """
    private static let aria2 = """
         all-proxy allow-overwrite always-resume async-dns auto-file-renaming bt-tracker ca-certificate certificate \
        check-certificate check-integrity checksum conditional-get conf-path connect-timeout console-log-level continue daemon \
        dir disable-ipv6 disk-cache dry-run enable-rpc file-allocation follow-metalink follow-torrent force-sequential \
        ftp-passwd ftp-user header http-accept-gzip http-no-cache http-passwd http-proxy http-user https-proxy input-file \
        interface listen-port load-cookies log log-level lowest-speed-limit max-concurrent-downloads \
        max-connection-per-server max-download-limit max-file-not-found max-overall-download-limit max-tries max-upload-limit \
        metalink-file min-split-size no-conf no-netrc no-proxy on-download-complete on-download-stop out parameterized-uri \
        piece-length private-key quiet referer remote-time retry-wait rpc-secret save-cookies save-session seed-ratio \
        seed-time select-file split stop summary-interval timeout torrent-file uri-selector user-agent
        """

    @Test(
        "what Haul does not do at all gets one sentence, joined letters too",
        arguments: [
            (["-F", "a=b"], HabitTable.onlyDownloads), (["-T", "a"], HabitTable.onlyDownloads),
            (["-sI"], HabitTable.onlyDownloads), (["--spider"], HabitTable.onlyDownloads),
            (["-Fa=@b"], HabitTable.onlyDownloads), (["-mk"], HabitTable.notRecursive),
            (["-rl2"], HabitTable.notRecursive),
            (["-np"], HabitTable.notRecursive), (["--mirror"], HabitTable.notRecursive),
            (["--mirror", "-p"], HabitTable.notRecursive),
        ] as [([String], String)])
    func notAtAll(words: [String], sentence: String) throws {
        let arguments = ["get", "http://h/a"] + words
        let line = HabitHint.line(for: try message(arguments), arguments: arguments)
        #expect(line?.hasSuffix(sentence) == true, "\(line ?? "none")")
    }

    @Test("curl's method is one word, whatever letters it has", arguments: ["-XPOST", "-sLXPOST", "-XPUT"])
    func method(word: String) throws {
        let arguments = ["get", word, "http://h/a"]
        #expect(
            HabitHint.line(for: try message(arguments), arguments: arguments)?.hasSuffix("write --method METHOD")
                == true)
    }

    @Test("options of wget of two letters, before and after the URL", arguments: ["-nc", "-nv", "-nd"])
    func twoLetters(word: String) throws {
        for arguments in [["get", word, "http://h/a"], ["get", "http://h/a", word]] {
            #expect(HabitHint.line(for: try message(arguments), arguments: arguments)?.hasPrefix("\(word): ") == true)
        }
    }

    @Test(
        "values that mean something else in curl and wget",
        arguments: [
            (
                ["-d", "a=b", "http://h/a"],
                "-d names the folder, which does not exist: curl's -d is --data TEXT or --data @FILE; "
            ),
            (["-d", "{\"a\":1}", "http://h/a"], "-d names the folder, "),
            (["-d", "@f", "http://h/a"], "-d names the folder, "),
            (["--no-proxy", "http://h/a"], "--no-proxy took the URL for its value: "),
            (["--no-proxy", "http://h/a", "http://h/b"], "--no-proxy took the URL for its value: "),
            (["-i", "a", "-i", "b"], "--input-file names one list: "),
            (
                ["--mirror", "http://h/a"],
                "--mirror is another source of one file: give one URL with it; Haul does not download recursively"
            ),
            (["-d", "./a=b", "http://h/a"], nil), (["-d", "a/b=c", "http://h/a"], nil),
            (["-d", "a", "http://h/a"], nil),
        ] as [([String], String?)])
    func values(arguments: [String], problem: String?) throws {
        let command = try #require(try HaulCommand.parseAsRoot(["get"] + arguments) as? GetCommand)
        let messages: [String]
        do throws(InvalidOptions) {
            _ = try GetPlan(command.arguments)
            messages = []
        } catch {
            messages = error.messages
        }
        #expect(messages.count == (problem == nil ? 0 : 1), "\(messages)")
        if let problem { #expect(messages.first?.hasPrefix(problem) == true, "\(messages)") }
    }

    @Test("wget's -c says what it is here") func connections() throws {
        #expect(HabitHint.line(for: try message(["get", "http://h/a", "-c"])) == HabitHint.connectionsHint)
        let command = try #require(try HaulCommand.parseAsRoot(["get", "-c", "http://h/a"]) as? GetCommand)
        let problems = #expect(throws: InvalidOptions.self) {
            try GetPlan(command.arguments)
        }
        #expect(problems?.messages == [HabitHint.connectionsHint])
    }

    @Test(
        "short options that are joined are taken apart",
        arguments: [
            (["-LO"], "-LO: not needed: redirects are followed; a file gets its name from the server or the URL"),
            (["-OJ"], "-OJ: not needed: a file gets its name from the server or the URL"),
            (["-fsSL"], "-fsSL: write -q; not needed: -f, -S, -L"),
            (["-sSLo", "f"], "-sSLo: write -q -o; not needed: -S, -L"),
            (["-qO-"], "-qO-: write -q -o -"), (["-O-"], "-O-: write -o -"), (["-qO", "f"], "-qO: write -q -o FILE"),
            (["-sLO"], "-sLO: write -q; not needed: -L, -O"), (["-kL"], "-kL: write --insecure; not needed: -L"),
            (["-x16"], "-x16: write -c 16"), (["-s8"], "-s8: write -c 8"),
            (["-k1M"], "-k1M: not needed: the size of the parts is chosen automatically"),
            (["-T5"], "-T5: write --connect-timeout 5 --idle-timeout 5"), (["-t3"], "-t3: write --retries 3"),
            (["-C-"], "-C-: not needed: the same command resumes"),
            (["-PDownloads"], "-PDownloads: write -d Downloads"), (["-sN"], "-sN: write -q --on-conflict keep"),
            (["-s", "5"], "-s: for the number of connections write -c N; to be quiet write -q"),
            (["-LY"], nil), (["-yz"], nil),
        ] as [([String], String?)])
    func joined(words: [String], hint: String?) throws {
        for arguments in [["get"] + words + ["http://h/a"], ["get", "http://h/a"] + words] {
            let message = try message(arguments)
            #expect(HabitHint.line(for: message, arguments: arguments) == hint, "\(message)")
        }
    }

    @Test(
        "letters that mean something else in aria2, and options that are not what they seem",
        arguments: [
            ("-l", "aria2's log is --log-file FILE"), ("-m", "aria2's max-tries is --retries N"),
            ("-k", "aria2's min-split-size is not needed"), ("-V", "aria2's check-integrity is --verify-existing"),
            ("--trust-server-names", "not supported: after a redirect, the file keeps the name of the URL"),
            ("--resume", "not needed: run the same command again to resume"),
            ("--proto", "not needed"), ("--overwrite", "write --on-conflict replace"), ("--threads", "write -c N"),
        ])
    func otherMeanings(option: String, text: String) throws {
        let arguments = ["get", "http://h/a", option, "=https"]
        #expect(HabitHint.line(for: try message(arguments), arguments: arguments)?.contains(text) == true)
    }

    @Test("other messages have no hint", arguments: ["", "Unknown option '--foo'", "Unexpected argument 'x'", "'-L'"])
    func others(message: String) {
        #expect(HabitHint.line(for: message) == nil)
    }

    @Test("the program says it in one line", .enabled(if: BuiltProgram.exists))
    func program() async throws {
        for (arguments, hint) in [
            (["add", "-L", "http://h/a"], "haul: -L: not needed: redirects are followed\n"),
            (["-C", "-", "http://h/a"], "haul: -C: not needed: "),
            (["http://h/a", "--continue-at", "5"], "haul: --continue-at: not needed: "),
            (["get", "-c", "http://h/a"], "haul: -c is the number of connections"),
            (["-qO-", "http://h/a"], "haul: -qO-: write -q -o -\n"),
            (["-LO", "x", "http://h/a"], "haul: -LO: write -o FILE; not needed: -L"),
        ] {
            let end = try await BuiltProgram.run(arguments, in: try TemporaryFolder())
            #expect(end.status == 2 && end.error.hasPrefix(hint), "\(end.error)")
            #expect(end.error.split(separator: "\n").count == 1)
        }
    }
}
