import HaulAria2
import HaulAria2Tool
import Testing

@Suite("aria2c's command line")
struct Aria2ArgumentsTests {
    static func read(_ arguments: [String]) throws -> (values: [String: String], uris: [String]) {
        let read = try Aria2Arguments(arguments)
        return (Dictionary(uniqueKeysWithValues: read.options.names.map { ($0, read.options[$0] ?? "") }), read.uris)
    }

    @Test(
        "the ways to write an option",
        arguments: [
            ([], [:], []), (["u"], [:], ["u"]), (["-"], [:], ["-"]),
            (["--split=3", "u"], ["split": "3"], ["u"]), (["--split", "3", "u"], ["split": "3"], ["u"]),
            (["-s3"], ["split": "3"], []), (["-s", "3"], ["split": "3"], []),
            (["u", "-x", "16", "v"], ["max-connection-per-server": "16"], ["u", "v"]),
            (["-c", "u"], ["continue": "true"], ["u"]), (["-ctrue"], ["continue": "true"], []),
            (["-cfalse"], ["continue": "false"], []),
            (["-cqx16"], ["continue": "true", "quiet": "true", "max-connection-per-server": "16"], []),
            (["--continue", "u"], ["continue": "true"], ["u"]), (["--continue=false"], ["continue": "false"], []),
            (["--continue", "true"], ["continue": "true"], ["true"]),
            (["--", "-c", "--x"], [:], ["-c", "--x"]), (["-o", "--", "u"], ["out": "--"], ["u"]),
            (["-o", "-"], ["out": "-"], []),
            (["--max-conc=2"], ["max-concurrent-downloads": "2"], []), (["--all-proxy="], ["all-proxy": ""], []),
            (["--header", "A: b=c", "--header=D: e"], ["header": "A: b=c\nD: e"], []),
            (["--split=1", "-s2"], ["split": "2"], []), (["-d", "a", "--dir", "b"], ["dir": "b"], []),
            (["--help"], ["help": ""], []), (["-h"], ["help": ""], []), (["-h#all"], ["help": "#all"], []),
            (["--help=#all"], ["help": "#all"], []), (["-v"], ["version": "true"], []),
            (
                ["--enable-rpc=true", "--rpc-listen-port=16800"], ["enable-rpc": "true", "rpc-listen-port": "16800"], []
            ),
        ] as [([String], [String: String], [String])])
    func ways(arguments: [String], values: [String: String], uris: [String]) throws {
        let read = try Self.read(arguments)
        #expect(read.values == values)
        #expect(read.uris == uris)
    }

    @Test(
        "what can't be understood is named, in the words that people know",
        arguments: [
            (["--nonsense"], "unrecognized option '--nonsense'"),
            (["--nonsense=1"], "unrecognized option '--nonsense'"),
            (["-y"], "invalid option -- 'y'"), (["-cy"], "invalid option -- 'y'"),
            (["--split"], "option '--split' requires an argument"), (["-s"], "option requires an argument -- 's'"),
            (["--=1"], "unrecognized option '--'"), (["--http-p=1"], "option '--http-p' is ambiguous; possibilities:"),
            (
                ["--split=x"],
                "We encountered a problem while processing the option '--split'. Bad number x. Possible values: 1-*"
            ),
            (["-s0"], "We encountered a problem while processing the option '--split'."),
            (["--continue=maybe"], "We encountered a problem while processing the option '--continue'."),
            (["--torrent-file=a"], "The option '--torrent-file' is not supported: BitTorrent"),
        ] as [([String], String)])
    func failures(arguments: [String], message: String) throws {
        let failure = #expect(throws: Aria2Arguments.Failure.self) { try Aria2Arguments(arguments) }
        #expect(failure?.message.hasPrefix(message) == true, "\(failure?.message ?? "")")
    }

    @Test("every option is understood in every form")
    func all() throws {
        for option in Aria2Option.table where option.refusal == nil {
            let value = option.standard ?? Self.sample(option.kind)
            let kept = try #require(option.value(value))
            #expect(try Aria2Arguments(["--\(option.name)=\(value)"]).options[option.name] == kept)
            if !option.valueIsOptional {
                #expect(try Aria2Arguments(["--\(option.name)", value, "u"]).options[option.name] == kept)
            }
            guard let letter = option.letter, option.name != "help" else { continue }
            #expect(try Aria2Arguments(["-\(letter)\(value)"]).options[option.name] == kept)
        }
    }

    static func sample(_ kind: Aria2Option.Kind) -> String {
        switch kind {
        case .flag: "true"
        case .indices: "1-2,5"
        case .number, .size, .fraction: "5"
        case .choice(let choices): choices.first ?? ""
        case .text, .list, .path: "A: b"
        case .checksum: "md5=\(String(repeating: "0", count: 32))"
        case .gid: "0123456789abcdef"
        case .proxy: "http://p:1"
        }
    }

    @Test("what yt-dlp, apt-fast, notebooks and Motrix call")
    func clients() throws {
        let video = try Self.read(
            "-c --no-conf --auto-save-interval=10 --console-log-level=warn --summary-interval=0 --download-result=hide --http-accept-gzip=true --file-allocation=none -x16 -j16 -s16 --min-split-size 1M --load-cookies=/c --header A:b --check-certificate=true --remote-time=true --show-console-readout=true --remove-control-file=true --allow-overwrite=true --always-resume=false --auto-file-renaming=false --force-save=false --dir D/ --out ./F -- http://u/"
                .split(separator: " ").map(String.init))
        #expect(
            video.uris == ["http://u/"] && video.values["out"] == "./F" && video.values["min-split-size"] == "1048576")
        let packages = try Self.read(
            "-c -j 5 -x 5 --min-split-size=1M -i L --connect-timeout=600 --timeout=600 -m0".split(separator: " ").map(
                String.init))
        #expect(packages.values["max-tries"] == "0" && packages.values["input-file"] == "L")
        let notebook = try Self.read(
            "--console-log-level=error -c -x 16 -s 16 -k 1M http://u/ -d D -o F".split(separator: " ").map(String.init))
        #expect(notebook.uris == ["http://u/"] && notebook.values["dir"] == "D")
        #expect(
            throws: Never.self
        ) {
            try Self.read(
                "--conf-path=/x --enable-rpc=true --rpc-allow-origin-all=true --rpc-listen-all=false --rpc-listen-port=16800 --rpc-secret=s --save-session=/s --save-session-interval=60 --max-concurrent-downloads=5 --max-overall-download-limit=0 --max-overall-upload-limit=256K --max-connection-per-server=16 --split=64 --min-split-size=1M --user-agent=x --bt-tracker=a,b --seed-ratio=2 --seed-time=60 --dht-listen-port=26701 --listen-port=21301 --file-allocation=none --disk-cache=64M --all-proxy= --no-proxy= --force-save=true --auto-file-renaming=false --allow-overwrite=false --async-dns=true --dht-file-path=/d --lowest-speed-limit=0"
                    .split(separator: " ").map(String.init))
        }
    }
}
