import HaulCore
import Testing

@testable import HaulStore

@Suite struct FilterTests {
    private let catalogue: Catalogue
    private let records: [StoredRecord]

    /// Thirty downloads: three groups, four tags, all states; the list in another order than the numbers.
    init() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let specs = (0..<30).map { number in
            var spec = DownloadSpec(
                url: "https://host\(number % 4).example/Film_\(number).mkv",
                destination: .file(path: number.isMultiple(of: 2) ? "/Serie/Ärger 100%" : "/x\\y/\(number)"))
            spec.group = number % 3 == 0 ? nil : "g\(number % 3)"
            spec.tags = Set((0..<4).filter { number & 1 << $0 != 0 }.map { "t\($0)" })
            spec.key = "k\(number)"
            return spec
        }
        let ids = try catalogue.add(specs)
        try catalogue.apply(
            ids.enumerated().map { RecordChange($1, .state(Samples.statuses[$0 % 10], time: 5)) }, events: [])
        for index in stride(from: 0, to: 30, by: 4) { _ = try catalogue.move(ids[index], to: 29 - index) }
        self.catalogue = catalogue
        records = try catalogue.list.map { try #require(try catalogue.record($0)) }
    }

    private static let filters: [StoredFilter] = [
        .all, StoredFilter(ids: []), StoredFilter(ids: Set((3...9).map(DownloadID.init(rawValue:)))),
        StoredFilter(keys: ["k1", "k7", "nothing"]), StoredFilter(keys: []), StoredFilter(groups: ["g1"]),
        StoredFilter(groups: ["g1", "g2", "g'3"]), StoredFilter(groups: []), StoredFilter(tags: ["t0"]),
        StoredFilter(tags: ["t3", "t1"]), StoredFilter(states: []), StoredFilter(states: [.queued]),
        StoredFilter(states: [.failed, .queued, .paused]), StoredFilter(states: Set(StoredState.allCases)),
        StoredFilter(text: "film_1"), StoredFilter(text: "HOST2"), StoredFilter(text: "ärGER"),
        StoredFilter(text: "0%"),
        StoredFilter(text: "X\\Y"), StoredFilter(text: "a.iso"), StoredFilter(text: ""), StoredFilter(text: "_0.m"),
        StoredFilter(groups: ["g2"], tags: ["t2"], states: [.active, .queued, .finished], text: "mkv"),
        StoredFilter(urls: []), StoredFilter(urls: ["https://host1.example/Film_5.mkv", "nothing", "http://unknown/"]),
        StoredFilter(urls: ["HTTPS://u:p@HOST2.example:443/x/../Film_6.mkv#end"], states: Set(StoredState.allCases)),
        errors([.linkExpired]), errors([.linkExpired, .notFound], states: [.failed, .finished]), errors([.notFound]),
        errors([]), hosts(["host2.example"]), hosts(["host0.example", "host3.example", "none.example"]), hosts([]),
        StoredFilter(
            ids: Set((1...20).map(DownloadID.init(rawValue:))), keys: ["k5", "k6", "k25"], states: [.finished, .held]),
    ]

    private static func errors(_ codes: Set<DownloadError.Code>, states: Set<StoredState>? = nil) -> StoredFilter {
        var filter = StoredFilter(states: states)
        filter.codes = codes
        return filter
    }

    private static func hosts(_ names: Set<String>) -> StoredFilter {
        var filter = StoredFilter()
        filter.hosts = names
        return filter
    }

    @Test(arguments: filters)
    func whatPassesComesInOrder(_ filter: StoredFilter) throws {
        let expected = records.filter { Self.passes($0, filter) }
        #expect(try catalogue.ids(filter) == expected.map(\.id))
        #expect(try catalogue.count(filter) == expected.count)
        #expect(try catalogue.page(filter, limit: 1000) == expected)
        for limit in [1, 4, 7] {
            var found: [StoredRecord] = []
            while true {
                let page = try catalogue.page(filter, after: found.last?.position, limit: limit)
                #expect(page.count <= limit)
                guard !page.isEmpty else { break }
                found += page
            }
            #expect(found == expected)
            found = []
            while true {
                let page = try catalogue.page(filter, after: found.last?.position, limit: limit, isReversed: true)
                guard !page.isEmpty else { break }
                found += page
            }
            #expect(found == expected.reversed())
            var ids: [DownloadID] = []
            var position: Position?
            repeat {
                let page = try catalogue.ids(filter, after: position, limit: limit)
                #expect(page.ids.count <= limit)
                ids += page.ids
                position = page.next
            } while position != nil
            #expect(ids == expected.map(\.id))
        }
        #expect(try catalogue.page(filter, limit: 0) == [])
    }

    @Test func eachIsFoundByItsPlace() throws {
        for (index, record) in records.enumerated() { #expect(try catalogue.record(at: index) == record) }
        for index in [-1, 30, .max] { #expect(try catalogue.record(at: index) == nil) }
    }

    @Test func theStatesAreCounted() throws {
        #expect(try catalogue.counts() == Dictionary(grouping: records, by: \.state).mapValues(\.count))
        #expect(try Catalogue.open(.inMemory).counts() == [:])
    }

    @Test func theQueueHoldsWhatWaitsOrWasAtWork() throws {
        var rows: [QueueRow] = []
        try catalogue.queueEntries { rows.append($0) }
        let expected = records.filter { $0.state == .active } + records.filter { $0.state == .queued }
        #expect(rows.map(\.id) == expected.map(\.id))
        #expect(rows.map(\.position) == expected.map(\.position))
        #expect(rows.map(\.host) == expected.map(\.host))
        #expect(rows.map(\.wasActive) == expected.map { $0.state == .active })
        #expect(rows.allSatisfy { $0.notBefore == nil && !$0.startsAtOnce && $0.priority == 0 })
    }

    @Test func aQueueRowHasWhatTheSpecSays() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let id = try catalogue.add([Samples.fullSpec])[0]
        var rows: [QueueRow] = []
        try catalogue.queueEntries { rows.append($0) }
        #expect(
            rows == [
                QueueRow(
                    id: id, position: Catalogue.gap, priority: -1000, host: 1, notBefore: 1_800_000_000_125,
                    startsAtOnce: true, wasActive: false)
            ])
    }

    private static func passes(_ record: StoredRecord, _ filter: StoredFilter) -> Bool {
        let text = filter.text?.lowercased() ?? ""
        let paths = [record.spec.url, record.targetPath ?? ""] + (record.spec.destination.path.map { [$0] } ?? [])
        func canonical(_ url: String) -> String { (try? SourceURL(parsing: url))?.string ?? url }
        return filter.urls.map { Set($0.map(canonical)).contains(canonical(record.spec.url)) } != false
            && filter.ids?.contains(record.id) != false && filter.keys?.contains(record.key) != false
            && filter.groups?.contains(record.spec.group ?? "") != false
            && filter.tags?.isDisjoint(with: record.spec.tags) != true && filter.states?.contains(record.state) != false
            && filter.codes.map { codes in record.error.map { codes.contains($0.code) } ?? false } != false
            && filter.hosts?.contains((try? SourceURL(parsing: record.spec.url))?.host ?? "") != false
            && (text.isEmpty || paths.contains { $0.lowercased().contains(text) })
    }
}

extension Destination {
    fileprivate var path: String? {
        switch self {
        case .file(let path), .folder(let path), .hashed(let path): path
        }
    }
}
