import Foundation
import HaulAria2
import HaulCore
import Testing

@Suite("A download as clients see it")
struct Aria2StatusTests {
    static let error = DownloadError(.linkExpired, "expired")
    static let facts = FinishFacts(
        path: "/d/a", totalBytes: 5 << 20, sessionBytes: 1, seconds: 1, verified: nil, kept: false)

    static func status(_ state: DownloadState, _ progress: TransferProgress = TransferProgress(), path: String? = nil)
        -> JSON
    {
        Aria2Status(
            DownloadSnapshot(
                id: DownloadID(rawValue: 1), key: "k",
                spec: DownloadSpec(url: "http://a/b", destination: .folder(path: "/d")),
                state: state, path: path, progress: progress, added: Date(timeIntervalSince1970: 0),
                changed: Date(timeIntervalSince1970: 0))
        ).json(keys: [])
    }

    @Test(
        "states",
        arguments: [
            (.running, "active"), (.waiting(.turn(limit: 1)), "waiting"), (.waiting(.host("a", limit: 1)), "waiting"),
            (.waiting(.start), "waiting"), (.waiting(.space(bytes: 1)), "waiting"),
            (.waiting(.notBefore(Date(timeIntervalSince1970: 0))), "waiting"),
            (.waiting(.dependency(DownloadID(rawValue: 3))), "waiting"),
            (.waiting(.serverAsked(status: 503)), "active"),
            (.waiting(.retrying(error, attempt: 1)), "active"), (.waiting(.linkExpired(error)), "paused"),
            (.waiting(.credentials), "paused"), (.paused(.relaunch), "paused"), (.finished(facts), "complete"),
            (.failed(error), "error"), (.cancelled(keptPartial: true), "removed"),
        ] as [(DownloadState, String)])
    func states(state: DownloadState, word: String) {
        #expect(Self.status(state)["status"] == .string(word))
        let isNamed = state.isFinal || state.failure != nil
        #expect((Self.status(state)["errorCode"] != nil) == isNamed)
        #expect((Self.status(state)["errorMessage"] != nil) == isNamed)
    }

    @Test("numbers that are none are harmless; speeds are of those at work alone")
    func numbers() {
        let wild = TransferProgress(
            fileBytes: -5, totalBytes: nil, speed: .infinity, averageSpeed: .nan, connections: 3)
        let reported = Self.status(.running, wild)
        #expect(reported["completedLength"] == .string("0") && reported["downloadSpeed"] == .string("0"))
        #expect(
            reported["totalLength"] == .string("0") && reported["numPieces"] == .string("0")
                && reported["connections"] == .string("3"))
        let paused = Self.status(
            .paused(.asked), TransferProgress(fileBytes: 1, totalBytes: .max, speed: 7, connections: 3))
        #expect(paused["downloadSpeed"] == .string("0") && paused["connections"] == .string("0"))
        #expect(paused["numPieces"] == .string(String(1 << 43)) && paused["bitfield"] == nil)
    }

    @Test(
        "all pieces of a complete file; none of an empty one",
        arguments: [(0, nil), (1, "80"), (4, "f0"), (5, "f8"), (8, "ff"), (9, "ff80")] as [(Int64, String?)])
    func bitfield(pieces: Int64, digits: String?) {
        let facts = FinishFacts(
            path: "/d/a", totalBytes: pieces << 20, sessionBytes: 1, seconds: 1, verified: nil, kept: false)
        #expect(Self.status(.finished(facts))["bitfield"]?.text == digits)
    }

    @Test(
        "the pieces of one that runs: those whose bytes are all there, over the ends of segments",
        arguments: [
            ([0..<0], "00"), ([0..<(1 << 20)], "80"), ([0..<(1 << 20) - 1], "00"), ([1..<(2 << 20)], "40"),
            ([0..<(3 << 19), (3 << 19)..<(2 << 20)], "c0"), ([0..<(3 << 19), (2 << 20)..<(5 << 19)], "a0"),
            ([(2 << 20)..<(5 << 19)], "20"), ([0..<(5 << 19)], "e0"),
        ] as [([Range<Int64>], String)])
    func runningBitfield(ranges: [Range<Int64>], digits: String) {
        // The last piece is half as long.
        #expect(Aria2Status.digits(3, ranges, 5 << 19) == digits)
    }

    @Test("the URI of one that has fetched nothing waits, any other is used")
    func uris() {
        func first(_ state: DownloadState, _ bytes: Int64) -> JSON? {
            let reported = Self.status(
                state, TransferProgress(fileBytes: bytes, totalBytes: 10, speed: 0, connections: 0))
            return reported["files"]?.elements?.first?["uris"]?.elements?.first?["status"]
        }
        #expect(first(.paused(.asked), 0) == .string("waiting"))
        #expect(first(.paused(.asked), 1) == .string("used"))
        #expect(first(.running, 0) == .string("used"))
    }

    @Test("the files of a Metalink, and the Metalink of a file")
    func relations() throws {
        let (leader, file) = (GID(DownloadID(rawValue: 1)), try #require(GID("00000000000000ab")))
        var relations = Aria2Relations()
        func reported(_ id: Int64) -> JSON {
            let snapshot = DownloadSnapshot(
                id: DownloadID(rawValue: id), key: id == 1 ? "k" : file.key,
                spec: DownloadSpec(url: "http://a/b", destination: .folder(path: "/d")), state: .running, path: nil,
                progress: TransferProgress(), added: Date(timeIntervalSince1970: 0),
                changed: Date(timeIntervalSince1970: 0))
            return Aria2Status(snapshot, relations: relations).json(keys: [])
        }
        #expect(reported(1)["followedBy"] == nil && reported(2)["following"] == nil)
        relations.setLeader(leader, of: file)
        #expect(reported(1)["followedBy"] == nil)
        relations.setFollowers([file], of: leader)
        #expect(reported(1)["followedBy"] == .array([.string("00000000000000ab")]))
        #expect(reported(2)["following"] == .string(leader.description))
        #expect(reported(1)["following"] == nil && reported(2)["followedBy"] == nil)
    }

    @Test("folder and path, before and after they are known")
    func places() {
        #expect(Self.status(.running)["dir"] == .string("/d"))
        #expect(Self.status(.running)["files"]?.elements?.first?["path"] == .string(""))
        #expect(Self.status(.running, path: "/x/y")["dir"] == .string("/x"))
        #expect(Self.status(.running, path: "/y")["dir"] == .string("/"))
    }
}
