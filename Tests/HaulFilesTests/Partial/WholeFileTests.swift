import HaulFiles
import HaulTesting
import Testing

@Suite("Files that get their name when they are whole")
struct WholeFileTests {
    private let folder: TemporaryFolder
    private static let bytes: [UInt8] = Array("whole".utf8)

    init() throws { folder = try TemporaryFolder() }

    private func publish(_ system: SystemCalls = .live, as name: String = "f") throws -> Bool {
        let file = try WholeFile(inFolder: folder.path, system: system)
        try file.write(Self.bytes, modified: 1_000_000_000)
        #expect(folder.bytes(name) != Self.bytes, "nobody sees it before")
        return try file.publish(as: folder.path(name)) != nil
    }

    @Test("bytes, name and date; nothing else in the folder")
    func whole() throws {
        #expect(try publish())
        let status = try SystemCalls.live.status(atPath: folder.path("f"))
        #expect(status?.modifiedSeconds == 1_000_000_000 && status?.links == 1)
        #expect(folder.bytes("f") == Self.bytes && folder.names == ["f"])
    }

    @Test("a name that is taken is left alone")
    func taken() throws {
        try folder.put([1], "f")
        #expect(try !publish())
        #expect(folder.bytes("f") == [1] && folder.names == ["f"])
    }

    @Test("on a disk the bytes are synced before the name is given, and the folder after it")
    func order() throws {
        let faults = SystemCallFaults()
        guard try !WholeFile(inFolder: folder.path).isInMemory else { return }
        #expect(try publish(faults.system()))
        let kinds = faults.calls.map(\.kind).filter { [.pwrite, .fsync, .link, .fsyncFolder].contains($0) }
        #expect(kinds == [.pwrite, .fsync, .link, .fsyncFolder])
    }

    @Test("whatever call fails: no name, and nothing is left", arguments: [5, 28] as [Int32])
    func failing(code: Int32) throws {
        var number = 1
        while true {
            let faults = SystemCallFaults(number: number, .fail(code))
            let isPublished: Bool
            do { isPublished = try publish(faults.system()) } catch { isPublished = false }
            if faults.fired == 0 { break }
            // The date is a convenience; closing is over whatever it says.
            let mayFail = [SystemCall.Kind.setModified, .close].contains(faults.calls[number - 1].kind)
            #expect(isPublished == mayFail && folder.names == (mayFail ? ["f"] : []), "\(faults.calls[number - 1])")
            if isPublished { try SystemCalls.live.unlink(folder.path("f")) }
            number += 1
        }
        #expect(number > 5)
    }

    @Test("a folder that isn't there")
    func absent() {
        #expect(throws: FileError.self) { try WholeFile(inFolder: folder.path("nowhere")) }
    }
}
