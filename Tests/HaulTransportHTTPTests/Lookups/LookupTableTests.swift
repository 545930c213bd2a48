import NIOCore
import Testing

@testable import HaulTransportHTTP

@Suite("Lookups of hosts")
struct LookupTableTests {
    private static let address = [try? SocketAddress(ipAddress: "127.0.0.1", port: 0)].compactMap(\.self)

    private func known(_ answer: LookupTable<Int>.Answer) -> [SocketAddress]? {
        if case .known(let addresses) = answer { addresses } else { nil }
    }

    @Test(
        "A host is looked up once for all who ask meanwhile, and again after its time",
        arguments: [(address, 60), ([], 30), (nil, 5)] as [([SocketAddress]?, Int64)])
    func once(found: [SocketAddress]?, seconds: Int64) {
        var table = LookupTable<Int>(.init(absenceLifetime: .seconds(30)))
        let start = NIODeadline.uptimeNanoseconds(1)
        #expect(known(table.ask("h", 1, now: start)) == nil && known(table.ask("h", 2, now: start)) == nil)
        #expect(table.next() == "h" && table.next() == nil)
        #expect(known(table.ask("h", 3, now: start)) == nil && table.next() == nil)
        #expect(table.ended("h", found, now: start) == [1, 2, 3])
        let end = start + .seconds(seconds)
        #expect(known(table.ask("h", 4, now: end - .nanoseconds(1))) == found ?? [])
        #expect(known(table.ask("h", 5, now: end)) == nil && table.next() == "h")
        #expect(table.ended("h", found, now: end) == [5])
    }

    @Test("No more than so many run at a time, in the order of the questions; the queue is emptied")
    func limit() {
        var table = LookupTable<Int>(.init(maxRunning: 3))
        let hosts = (0..<3000).map { "h\($0)" }
        for (number, host) in hosts.enumerated() { _ = table.ask(host, number, now: .now()) }
        var (running, begun, most) = ([String](), [String](), 0)
        while begun.count < hosts.count || !running.isEmpty {
            while let host = table.next() {
                begun.append(host)
                running.append(host)
            }
            most = max(most, running.count)
            guard let host = running.popLast() else { break }
            #expect(table.ended(host, Self.address, now: .now()).count == 1)
        }
        #expect(begun == hosts && most == 3 && table.next() == nil)
    }

    @Test("Results are dropped when there are too many")
    func entries() {
        var table = LookupTable<Int>(.init(maxEntries: 2))
        let now = NIODeadline.now()
        for host in ["a", "b", "c"] {
            _ = table.ask(host, 0, now: now)
            _ = table.next()
            _ = table.ended(host, Self.address, now: now)
        }
        #expect(known(table.ask("c", 0, now: now)) == Self.address && known(table.ask("a", 0, now: now)) == nil)
    }
}
