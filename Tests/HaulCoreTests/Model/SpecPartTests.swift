import Foundation
import HaulCore
import Testing

@Suite("The parts of a spec")
struct SpecPartTests {
    /// The names of a part's stored properties.
    private func properties(_ part: Any) -> Set<String> { Set(Mirror(reflecting: part).children.compactMap(\.label)) }

    @Test("every property has a field of its name; only secrets, URL and destination have forms of their own")
    func fields() {
        let spec = DownloadSpec(url: "http://h/", destination: .file(path: "/f"))
        let others: Set = ["url", "destination", "password", "bearerToken"]
        let parts =
            [
                spec.source, spec.placement, spec.verification, spec.access, spec.transfer, spec.queueing,
            ] as [Any]
        let names = parts.reduce(into: Set<String>()) { $0.formUnion(properties($1)) }
        #expect(Set(DownloadSpec.partFields) == names.subtracting(others))
        #expect(DownloadSpec.partFields.count == Set(DownloadSpec.partFields).count)
        #expect(properties(spec.local) == Set(DownloadSpec.Local.fields.map(\.name)))
        #expect(names.isDisjoint(with: properties(spec.local)))
        #expect(properties(spec).count == 8, "a new part must be encoded")
    }

    @Test("it is one flat object without the defaults, and without secrets")
    func flat() throws {
        var spec = DownloadSpec(url: "http://h/", destination: .folder(path: "/d"))
        (spec.retries, spec.connectTimeout, spec.partialFolder) = (7, .milliseconds(1500), "/p")
        (spec.connections, spec.range) = (.fixed(4), ByteRange(2, 5))
        (spec.password, spec.bearerToken) = (.text("hidden"), .file(path: "/t"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let data = try encoder.encode(spec)
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"connectTimeout":1.5,"connections":{"limit":4,"mode":"fixed"},"destination":{"folder":{"path":"/d"}},"#
                + #""partialFolder":"/p","passwordPath":"","range":{"end":5,"start":2},"retries":7,"tokenPath":"/t","url":"http://h/"}"#
        )
        spec.password = .text("")
        #expect(try JSONDecoder().decode(DownloadSpec.self, from: data) == spec)
    }

    @Test("a property of a part is one of the spec")
    func access() {
        var spec = DownloadSpec(url: "http://h/", destination: .folder(path: "/d"))
        spec.idleTimeout = .seconds(9)
        spec.headers.append(.init(name: "A", value: "b"))
        #expect(spec.transfer.idleTimeout == .seconds(9) && spec.access.headers.count == 1)
        #expect(spec[keyPath: \DownloadSpec.url] == "http://h/")
    }
}
