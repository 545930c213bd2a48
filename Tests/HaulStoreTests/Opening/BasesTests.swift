import Foundation
import GRDB
import HaulCore
import Testing

@testable import HaulStore

@Suite("Named bases in a catalogue")
struct BasesTests {
    private static func base(_ path: String, _ identifier: String = "documents") -> StoredBase {
        StoredBase(identifier: identifier, path: path, realPath: path)
    }

    private static func open(_ bases: [StoredBase]) throws -> Catalogue {
        let catalogue = try Catalogue.open(.inMemory)
        try launch(catalogue, bases)
        return catalogue
    }

    /// What a launch with these bases does.
    private static func launch(_ catalogue: Catalogue, _ bases: [StoredBase]) throws {
        try catalogue.rebase(try catalogue.movedFolders(bases), bases)
    }

    private static func add(_ specs: [DownloadSpec], to catalogue: Catalogue) throws {
        let new = try specs.map {
            NewRecord(spec: $0, source: try SourceURL(parsing: $0.url), state: .queued)
        }
        _ = try catalogue.insert(new, firstEvent: catalogue.lastEvent + 1, time: 1)
    }

    private static func spec(_ path: String, url: String = "https://example.org/a") -> DownloadSpec {
        DownloadSpec(url: url, destination: .file(path: path))
    }

    @Test("destination, target, facts, options, key and events follow the base")
    func moves() throws {
        let catalogue = try Self.open([Self.base("/old")])
        var spec = Self.spec("/old/x/a")
        spec.partialFolder = "/old/parts"
        try Self.add([spec, Self.spec("/older/a"), Self.spec("/old/b", url: "https://example.org/b")], to: catalogue)
        let facts = FinishFacts(
            path: "/old/b", totalBytes: 7, sessionBytes: 7, seconds: 1, verified: nil, kept: false)
        let started = StartFacts(path: "/old/b", totalBytes: 7, resumedBytes: 0, insecure: false)
        let (first, third) = (DownloadID(rawValue: 1), DownloadID(rawValue: 3))
        let number = catalogue.lastEvent
        try catalogue.apply(
            [
                RecordChange(first, .targetPath("/old/x/a", totalBytes: nil, fileID: nil)),
                RecordChange(third, .state(.finished(facts), time: 2)),
            ],
            events: [
                DownloadEvent(
                    number: number + 1, download: third, time: Date(timeIntervalSince1970: 1), kind: .started(started)),
                DownloadEvent(
                    number: number + 2, download: third, time: Date(timeIntervalSince1970: 1), kind: .finished(facts)),
            ])
        try Self.launch(catalogue, [Self.base("/new")])

        var moved = Self.spec("/new/x/a")
        moved.partialFolder = "/new/parts"
        let record = try #require(try catalogue.record(first))
        #expect(record.spec == moved && record.targetPath == "/new/x/a" && record.key == moved.canonicalKey)
        #expect(try catalogue.record(key: moved.canonicalKey)?.id == first)
        #expect(try catalogue.record(key: spec.canonicalKey) == nil)
        #expect(try catalogue.record(DownloadID(rawValue: 2))?.spec == Self.spec("/older/a"))
        let finished = try #require(try catalogue.record(third))
        #expect(finished.targetPath == "/new/b" && finished.lastFinish?.path == "/new/b")
        let paths = try catalogue.events(after: number, limit: 9).map { event in
            switch event.kind {
            case .started(let facts): facts.path
            case .finished(let facts): facts.path
            default: "?"
            }
        }
        #expect(paths == ["/new/b", "/new/b"])
    }

    @Test("two bases change places, and a key of the caller stays")
    func swap() throws {
        let catalogue = try Self.open([Self.base("/a", "one"), Self.base("/b", "two")])
        var own = Self.spec("/a/own")
        own.key = "mine"
        try Self.add([Self.spec("/a/f"), Self.spec("/b/f"), own], to: catalogue)
        try Self.launch(catalogue, [Self.base("/b", "one"), Self.base("/a", "two")])
        #expect(try catalogue.record(key: Self.spec("/b/f").canonicalKey)?.id == DownloadID(rawValue: 1))
        #expect(try catalogue.record(key: Self.spec("/a/f").canonicalKey)?.id == DownloadID(rawValue: 2))
        #expect(try catalogue.record(key: "mine")?.spec.destination == .file(path: "/b/own"))
    }

    @Test("a base that is missing at a launch keeps its last path")
    func missing() throws {
        let catalogue = try Self.open([Self.base("/a")])
        try Self.add([Self.spec("/a/f")], to: catalogue)
        try Self.launch(catalogue, [])
        #expect(try catalogue.record(DownloadID(rawValue: 1))?.spec.destination == .file(path: "/a/f"))
        try Self.launch(catalogue, [Self.base("/b")])
        #expect(try catalogue.record(DownloadID(rawValue: 1))?.spec.destination == .file(path: "/b/f"))
    }

    @Test("paths may have been recorded without the links of the base")
    func links() throws {
        let catalogue = try Self.open([StoredBase(identifier: "x", path: "/link", realPath: "/real")])
        try Self.add([Self.spec("/link/a"), Self.spec("/real/b")], to: catalogue)
        try Self.launch(catalogue, [Self.base("/new", "x")])
        #expect(try catalogue.record(DownloadID(rawValue: 1))?.spec.destination == .file(path: "/new/a"))
        #expect(try catalogue.record(DownloadID(rawValue: 2))?.spec.destination == .file(path: "/new/b"))
    }

    @Test("options that become equal are stored once")
    func equalOptions() throws {
        let catalogue = try Self.open([Self.base("/a", "one"), Self.base("/b", "two")])
        var (first, second) = (Self.spec("/a/f"), Self.spec("/b/f"))
        (first.partialFolder, second.partialFolder) = ("/a/parts", "/b/parts")
        try Self.add([first, second], to: catalogue)
        // Two names for one folder.
        try Self.launch(catalogue, [Self.base("/c", "one"), Self.base("/c", "two")])
        let records = try [1, 2].map { try #require(try catalogue.record(DownloadID(rawValue: $0))) }
        #expect(records.allSatisfy { $0.spec.partialFolder == "/c/parts" && $0.targetPath == nil })
        #expect(try catalogue.reading { try Int.fetchOne($0, sql: "SELECT count(*) FROM options") } == 1)
        // Both have one key now, which belongs to the first.
        #expect(try catalogue.record(key: records[0].key)?.id == DownloadID(rawValue: 1))
    }

    @Test("without bases, no table is created")
    func none() throws {
        let catalogue = try Self.open([])
        #expect(try catalogue.reading { try $0.tableExists("base") } == false)
    }
}
