import Foundation
import HaulCore
import Testing

@testable import HaulStore

@Suite struct EventTests {
    static let kinds: [DownloadEvent.Kind] = [
        .added, .started(StartFacts(path: "/a", totalBytes: nil, resumedBytes: 3, insecure: true)),
        .waiting(.notBefore(Date(timeIntervalSince1970: 2)), until: Date(timeIntervalSince1970: 2)),
        .waiting(.host("h", limit: 2), until: nil), .waiting(.linkExpired(Samples.error), until: nil),
        .notice(.partialQuarantined(reason: "it was cut")), .notice(.rangesIgnored), .paused(.asked), .resumed,
        .sourceReplaced, .finished(Samples.facts), .failed(Samples.error), .cancelled(keptPartial: true),
        .removed(.partial), .changed,
    ]

    @Test func everyKindIsReplayed() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        let events = Self.kinds.enumerated().map { Samples.event(Int64($0 + 1), DownloadID(rawValue: 7), $1) }
        try catalogue.apply([], events: events)
        for after in 0...events.count {
            #expect(try catalogue.events(after: Int64(after), limit: 99) == Array(events[after...]))
            #expect(try catalogue.events(after: Int64(after), limit: 2) == Array(events[after...].prefix(2)))
        }
        #expect(try catalogue.events(after: 0, limit: 0) == [])
        catalogue.close()
        #expect(try shelf.open().events(after: 0, limit: 99) == events)
    }

    @Test(arguments: kinds, [kinds[7], kinds[8], kinds[10]])
    func whatFollowsItselfIsReplayedTheSame(_ first: DownloadEvent.Kind, _ second: DownloadEvent.Kind) throws {
        let catalogue = try Catalogue.open(.inMemory)
        let events = [first, first, second, second, first].enumerated().map {
            Samples.event(Int64($0 + 1), DownloadID(rawValue: 7), $1)
        }
        try catalogue.apply([], events: events)
        #expect(try catalogue.events(after: 0, limit: 9) == events)
    }

    @Test func removalKeepsTheTags() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        var specs = (1...4).map(Samples.spec)
        (specs[0].tags, specs[1].tags, specs[3].tags) = (["a", "b"], ["b", "it's \"c\""], ["a"])
        let ids = try catalogue.add(specs)
        let events = ids.dropLast().enumerated().map { Samples.event(Int64($0 + 5), $1, .removed(.partial)) }
        try catalogue.apply(ids.dropLast().map { RecordChange($0, .remove) }, events: events)
        catalogue.close()
        let again = try shelf.open()
        #expect(try again.events(after: 4, limit: 9) == events)
        #expect(try again.removed(withOneOf: ["a"], after: 0) == [ids[0]])
        #expect(try again.removed(withOneOf: ["a", "it's \"c\""], after: 4) == [ids[0], ids[1]])
        #expect(try again.removed(withOneOf: ["b"], after: 5) == [ids[1]])
        #expect(try again.removed(withOneOf: ["b"], after: 6) == [] && again.removed(withOneOf: ["x"], after: 0) == [])
        #expect(try again.removed(withOneOf: [], after: 0) == [])
    }

    @Test(arguments: [0, 1, 2, 5, 6, 100, Int.max])
    func theNewestAreKept(_ keeping: Int) throws {
        let catalogue = try Catalogue.open(.inMemory)
        #expect(catalogue.firstEvent == nil)
        try catalogue.pruneEvents(keeping: keeping)
        try catalogue.add(5)
        try catalogue.pruneEvents(keeping: keeping)
        let kept = min(5, max(1, keeping))
        #expect(try catalogue.events(after: 0, limit: 9).map(\.number) == Array(Int64(6 - kept)...5))
        #expect(catalogue.firstEvent == Int64(6 - kept) && catalogue.lastEvent == 5)
        try catalogue.apply([], events: [Samples.event(6, DownloadID(rawValue: 1), .changed)])
        #expect(catalogue.lastEvent == 6)
    }

    @Test(arguments: [(0, true), (100_000, true), (1 << 30, false), (nil, false)] as [(Int64?, Bool)])
    func fewAreKeptIfTheListTakesMoreThanIsLeft(available: Int64?, isShort: Bool) throws {
        let catalogue = try Catalogue.open(.inMemory)
        try catalogue.add(1500)
        try catalogue.pruneEvents(keeping: 10_000, available: available)
        #expect(catalogue.firstEvent == (isShort ? 501 : 1) && catalogue.lastEvent == 1500)
        try catalogue.pruneEvents(keeping: 10, available: available)
        #expect(catalogue.firstEvent == 1491)
    }

    @Test func oneThatCantBeReadComesAsAChange() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        let id = try catalogue.add(1)[0]
        try catalogue.apply([], events: [Samples.event(2, id, .paused(.asked)), Samples.event(3, id, .resumed)])
        catalogue.close()
        try shelf.raw("UPDATE event SET facts = '{}' WHERE number = 2")
        #expect(try shelf.open().events(after: 0, limit: 9).map(\.kind) == [.added, .changed, .resumed])
    }
}
