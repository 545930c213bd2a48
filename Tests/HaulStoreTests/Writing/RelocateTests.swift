import HaulCore
import Testing

@testable import HaulStore

@Suite struct RelocateTests {
    private let move = PathMove(from: "/downloads", to: "/big/films")

    @Test(
        "only what is below the folder is moved, by whole components",
        arguments: [
            ("/downloads", "/big/films"), ("/downloads/a", "/big/films/a"), ("/downloads/a/b", "/big/films/a/b"),
            ("/downloads2/a", nil), ("/down", nil), ("/x/downloads/a", nil), ("/", nil),
        ] as [(String, String?)])
    func paths(path: String, expected: String?) { #expect(move.path(path) == expected) }

    @Test("an accented letter in its other form is another folder")
    func forms() {
        let move = PathMove(from: "/R\u{E9}", to: "/n")
        #expect(move.path("/Re\u{301}") == nil && move.path("/Re\u{301}/a") == nil && move.path("/R\u{E9}") == "/n")
    }

    @Test("the root folder is a folder like others")
    func rootFolder() {
        #expect(PathMove(from: "/", to: "/n").path("/a/b") == "/n/a/b")
        #expect(PathMove(from: "/n", to: "/").path("/n/a") == "/a")
    }

    @Test("destinations, files and finished facts are moved in all states, and everything else stays")
    func states() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let ids = try catalogue.add(
            Samples.statuses.indices.map { number in
                var spec = Samples.spec(number)
                spec.tags = ["t\(number)"]
                spec.group = "g"
                spec.priority = number
                return spec
            })
        for (id, status) in zip(ids, Samples.statuses) {
            try catalogue.apply(
                [
                    RecordChange(id, .targetPath("/downloads/\(id)", totalBytes: 7, fileID: nil)),
                    RecordChange(id, .state(status, time: 5)),
                ], events: [])
        }
        let other = try catalogue.add([DownloadSpec(url: "https://h/x", destination: .file(path: "/else/x"))])
        let before = try ids.map { try #require(try catalogue.record($0)) }
        let preview = try catalogue.relocate(move, isPreview: true)
        #expect(try ids.map { try #require(try catalogue.record($0)) } == before)
        let moved = try catalogue.relocate(move)
        #expect(moved == preview && moved.map(\.id) == ids)
        for (old, entry) in zip(before, moved) {
            let record = try #require(try catalogue.record(old.id))
            #expect(record.spec.destination == .folder(path: "/big/films"))
            #expect(record.targetPath == (old.finish == nil ? "/big/films/\(old.id)" : "/big/films/a.iso"))
            #expect(entry.unfinishedPath == (old.finish == nil ? "/big/films/\(old.id)" : nil))
            #expect(record.finish?.path == old.finish.map { _ in "/big/films/a.iso" })
            var spec = record.spec
            spec.destination = old.spec.destination
            #expect(spec == old.spec && record.state == old.state && record.error == old.error)
            #expect(record.position == old.position && record.added == old.added && record.changed == old.changed)
            // As if it had been added there: adding it again finds it.
            #expect(try catalogue.record(key: record.spec.canonicalKey)?.id == old.id)
        }
        #expect(try catalogue.record(other[0])?.spec.destination == .file(path: "/else/x"))
        #expect(try catalogue.relocate(move).isEmpty)
    }

    @Test("the facts of an earlier finish are moved, and forget the file if it was copied")
    func earlier() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let id = try catalogue.add([Samples.spec(1)])[0]
        var facts = Samples.facts
        (facts.file, facts.fileModified) = (FileIdentity(device: 1, inode: 2), 3)
        try catalogue.apply([RecordChange(id, .state(.finished(facts), time: 5))], events: [])
        try catalogue.apply([RecordChange(id, .state(.queued, time: 6))], events: [])
        _ = try catalogue.relocate(move)
        let kept = try #require(try catalogue.record(id)?.lastFinish)
        #expect(kept.path == "/big/films/a.iso" && kept.file == facts.file)
        _ = try catalogue.relocate(PathMove(from: "/big/films", to: "/big/films"), forgetsFiles: true)
        let forgotten = try #require(try catalogue.record(id)?.lastFinish)
        #expect(forgotten.path == "/big/films/a.iso" && forgotten.file == nil && forgotten.fileModified != nil)
    }

    @Test("a key of the caller's stays; one that another download has is not taken from it")
    func keys() throws {
        let catalogue = try Catalogue.open(.inMemory)
        var named = Samples.spec(1)
        named.key = "mine"
        var taken = Samples.spec(2)
        taken.destination = .folder(path: "/big/films")
        let ids = try catalogue.add([named, Samples.spec(2), taken])
        let key = try #require(try catalogue.record(ids[1])?.key)
        #expect(try catalogue.relocate(move).map(\.id) == [ids[0], ids[1]])
        #expect(try catalogue.record(key: "mine")?.id == ids[0])
        #expect(try catalogue.record(key: key)?.id == ids[1])
        #expect(try catalogue.record(key: taken.canonicalKey)?.id == ids[2])
    }
}
