import HaulClient
import Testing

@Suite("The reader of event streams")
struct EventStreamReaderTests {
    private static let text =
        "retry: 5\n\nid: 1\nevent: a\ndata: x\ndata:  y\n\n:c\n\ndata\r\n\r\nevent: b\n\ndata: z\rid: 2\r\r"

    @Test("Whole or byte by byte, it reads the same")
    func pieces() {
        var whole = EventStreamReader()
        let expected = whole.read(Self.text.utf8)
        #expect(expected.map(\.event) == ["a", "message", "message"])
        #expect(expected.map(\.data) == ["x\n y", "", "z"])
        #expect(expected.map(\.id) == ["1", "1", "2"])
        for size in 1...7 {
            var reader = EventStreamReader()
            var found: [EventStreamReader.Message] = []
            var rest = Array(Self.text.utf8)[...]
            while !rest.isEmpty {
                found += reader.read(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            #expect(found == expected)
        }
    }
}
