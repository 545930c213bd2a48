import ArgumentParser
import HaulCore
import Testing

@testable import HaulCLI

@Suite("Advice after a failure")
struct FailureAdviceTests {
    private static func advice(_ error: DownloadError, _ url: String = "http://h/f", path: String = "f") throws
        -> String?
    {
        FailureAdvice.text(for: error, url: try SourceURL(parsing: url), path: path)
    }

    private static func advice(_ detail: DownloadError.Detail, _ url: String = "http://h/f") throws -> String? {
        try advice(DownloadError(.tlsFailed, "m", detail: detail), url)
    }

    @Test("every option that is named exists", arguments: DownloadError.Detail.allCases)
    func optionsExist(detail: DownloadError.Detail) throws {
        let help = HaulCommand.helpMessage(for: GetCommand.self, columns: 200)
        for url in ["http://h/f", "https://h/f", "ftp://h/f", "ftps://h/f", "ftpes://h/f", "sftp://h/f"] {
            let text = try Self.advice(detail, url) ?? ""
            for option in text.matches(of: #/(?: |^)(--?[a-z][a-z-]*)/#).map({ String($0.1) })
            where detail != .hostKeyUnknown && detail != .hostKeyChanged {
                #expect(help.contains(option), "\(text)")
            }
        }
    }

    @Test(
        "the words of some",
        arguments: [
            (
                .hostKeyUnknown, "sftp://h/f",
                "to trust it, connect once with ssh h, or: ssh-keyscan h >> ~/.ssh/known_hosts"
            ),
            (
                .hostKeyUnknown, "sftp://[::1]:2222/f",
                "to trust it, connect once with ssh -p 2222 '::1', or: ssh-keyscan -p 2222 '::1' >> ~/.ssh/known_hosts"
            ),
            (
                .hostKeyChanged, "sftp://h/f",
                "if its operator confirms the new key: ssh-keygen -R h, then connect once with ssh h"
            ),
            (
                .hostKeyChanged, "sftp://h:2222/f",
                "if its operator confirms the new key: ssh-keygen -R '[h]:2222', then connect once with ssh -p 2222 h"
            ),
            (.serverWithoutTLS, "https://h/f", "use http:// instead of https://"),
            (.serverWithoutTLS, "ftps://h/f", "use ftpes:// (TLS on request) or ftp:// instead of ftps://"),
            (.serverWithoutTLS, "ftpes://h/f", "use ftp:// instead of ftpes://"),
            (.serverWithoutTLS, "http://h/f", nil), (.serverWithTLS, "http://h/f", "use https:// instead of http://"),
            (.clientCertificateMissing, "https://h/f", "add --client-certificate FILE"),
            (.loginNeeded, "http://h/f", "add --user NAME"),
            (
                .withheld, "http://h/f",
                "if you trust that host with them, use its URL, or add them for it to a file for --netrc-file"
            ), (.loginRefused, "http://h/f", nil),
            (
                .loginRefused, "sftp://h/f",
                "check the user name, and the key in ~/.ssh or the password (--password-file FILE)"
            ),
            (.longWait, "http://h/f", "to wait for it, add --max-wait SECONDS"),
            (.rangeRefused, "http://h/f", "to fetch the whole file again, add --no-resume"),
        ] as [(DownloadError.Detail, String, String?)])
    func words(detail: DownloadError.Detail, url: String, text: String?) throws {
        #expect(try Self.advice(detail, url) == text)
    }

    @Test("a certificate that no authority could make right is not helped by another authority")
    func certificates() throws {
        for detail in DownloadError.Detail.allCases where detail.rawValue.hasPrefix("certificate") {
            let isHelped = detail == .certificateSelfSigned || detail == .certificateAuthorityUnknown
            #expect(try Self.advice(detail)?.contains("--ca-certificate") == isHelped)
        }
    }

    @Test("what to type with the path as a shell takes it, and by the code alone")
    func byCode() throws {
        let expired = DownloadError(.linkExpired, "it has expired")
        for (path, word) in [
            ("d/e.bin", "d/e.bin"), ("d/a b", "'d/a b'"), ("it's", "'it'\\''s'"), ("a\u{1B}b", "'a\u{FFFD}b'"),
        ] {
            #expect(try Self.advice(expired, path: path) == "to resume: haul get -o \(word) 'NEW-URL'")
        }
        let unfinished = DownloadError.unfinished("/d/f", control: "/d/f.aria2")
        #expect(try Self.advice(unfinished) == "to resume it, add --continue")
        #expect(try Self.advice(DownloadError(.contentEncoded, "m")) == "to save it as it is sent, add --raw")
        let refused = DownloadError.notAdopted("/d/f", reason: "it is longer")
        #expect(try Self.advice(refused)?.hasSuffix("--on-conflict rename instead of --continue") == true)
        #expect(try Self.advice(DownloadError(.serverBusy, "m")) == "to keep trying, add --retries NUMBER")
        #expect(try Self.advice(DownloadError(.notFound, "m")) == nil)
    }

    @Test("nothing is advised that was given, and the advice fits the case")
    func byCase() throws {
        let exists = DownloadError(.destinationExists, "file exists: f")
        #expect(try Self.advice(exists)?.contains("--on-conflict keep, skip, replace") == true)
        let different = try Self.advice(DownloadError.differentFile(at: "f"))
        #expect(different == "choose another name, or use --on-conflict keep, replace or rename")
        #expect(
            try Self.advice(DownloadError.notAFile("a/s b", kind: "folder")) == "to save in this folder, use -d 'a/s b'"
        )
        #expect(try Self.advice(DownloadError.notAFile("s", kind: "device")) == nil)
        #expect(try Self.advice(DownloadError.tookTooLong(.seconds(5)))?.contains("same command again") == true)
        #expect(try Self.advice(DownloadError(.timedOut, "no data")) == nil)
    }

    @Test("A removal outside the daemon's roots names the option that leaves the files")
    func notRemovable() {
        let refused = DownloadError.notRemovable(in: "/old", roots: ["/a", "/b"])
        #expect(!refused.message.contains("--"))
        #expect(FailureAdvice.command(after: refused) == "haul remove --files none")
        let help = HaulCommand.helpMessage(for: RemoveCommand.self, columns: 200)
        #expect(help.contains("--files") && help.contains("none"))
        let other = DownloadError(.invalidRequest, "/old is outside the daemon's roots (/a, /b): choose another folder")
        #expect(FailureAdvice.command(after: other) == nil)
    }

    @Test("An FTP server that demands TLS before the login is asked for it with another scheme")
    func encryptedLogin() throws {
        func advice(_ cause: String, _ url: String) throws -> String? {
            let error = DownloadError(.notAuthorized, "login refused", cause: cause, detail: .loginNeeded)
            return FailureAdvice.text(for: error, url: try SourceURL(parsing: url), path: "f")
        }
        for reply in ["530 Anonymous sessions must use encryption.", "530 TLS required", "534 Policy requires SSL."] {
            #expect(try advice(reply, "ftp://h/f") == "use ftpes:// instead of ftp://")
            #expect(try advice(reply, "ftpes://h/f") == "add --user NAME")
        }
        #expect(try advice("530 Login incorrect.", "ftp://h/f") == "add --user NAME")
    }
}
