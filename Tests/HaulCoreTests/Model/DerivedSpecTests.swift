import HaulCore
import Testing

/// What is derived from a spec.
@Suite struct DerivedSpecTests {
    @Test func aDocumentHasTheRequestsOfTheDownloadButNotItsFile() throws {
        var spec = DownloadSpec(url: "http://h/file", destination: .folder(path: "/d"))
        spec.headers = [.init(name: "Accept", value: "text/plain")]
        (spec.retries, spec.idleTimeout, spec.local.netrcPath) = (7, .seconds(3), "/netrc")
        let document = spec.forDocument(at: "http://h/file.meta4", in: "/tmp/document")
        var expected = spec
        (expected.url, expected.destination) = ("http://h/file.meta4", .file(path: "/tmp/document"))
        #expect(document == expected)
        spec.partialFolder = "/partial"
        spec.mirrors = [.init(url: "http://m/file")]
        (spec.checksum, spec.expectedBytes) = (try Checksum(.md5, hex: String(repeating: "ab", count: 16)), 5)
        #expect(spec.forDocument(at: "http://h/file.meta4", in: "/tmp/document") == expected)
    }

    @Test func oneAttemptHasNoOtherAfterIt() {
        var transfer = DownloadSpec.Transfer()
        #expect(transfer.triesAgain)
        transfer.attemptsOnce()
        #expect(!transfer.triesAgain)
    }

    @Test(arguments: [(2, 2), (5, 5), (30, 5)])
    func aSourceWithAnAlternativeIsGivenUpSooner(allowed: Int, patience: Int) {
        var transfer = DownloadSpec.Transfer()
        transfer.idleTimeout = .seconds(allowed)
        #expect(transfer.patience() == .seconds(allowed))
        #expect(transfer.patience(hasAlternative: true) == .seconds(patience))
    }

    @Test(arguments: [(nil, 5, false), (0, 5, true), (5, 5, true), (6, 5, false)] as [(Int?, Int, Bool)])
    func theLimitForNotFoundCountsIfItIsNotTheHigherOne(own: Int?, all: Int, counts: Bool) {
        var spec = DownloadSpec(url: "http://h/file", destination: .folder(path: "/d"))
        (spec.tuning.notFoundRetries, spec.retries) = (own, all)
        #expect(spec.limitsNotFound == counts)
    }
}
