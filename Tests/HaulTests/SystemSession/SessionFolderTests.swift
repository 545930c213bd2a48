import Foundation
import HTTPTypes
import HaulCore
import HaulFiles
import HaulTesting
import Synchronization
import Testing

@testable import HaulLocal

@Suite("The files of a system session")
struct SessionFolderTests {
    private static let id = DownloadID(rawValue: 7)
    private static let bytes = [UInt8](0..<200)

    private static func head(_ size: Int64 = 200) -> SessionFolder.Head {
        var response = HTTPResponse(status: .ok)
        response.headerFields[.eTag] = "\"v1\""
        return SessionFolder.Head(response, url: "https://h/a", source: "s", size: size)
    }

    /// Has all calls from one on fail, as if the process had been killed there, or only that one.
    private static func system(failing number: Int, onwards: Bool) -> SystemCalls {
        let count = Counter()
        return SystemCalls { _ in
            let call = count.next()
            return call == number || onwards && call > number ? .fail(5) : .proceed
        }
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)

        func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
    }

    @Test("whatever call fails, a delivered file is there as a whole, or not at all", arguments: [true, false])
    func faults(onwards: Bool) throws {
        var kept = 0
        for number in 0..<16 {
            let folder = try TemporaryFolder()
            try FileManager.default.createDirectory(atPath: folder.path("s"), withIntermediateDirectories: true)
            try folder.put(Self.bytes, "delivered")
            let failing = SessionFolder(path: folder.path("s"), system: Self.system(failing: number, onwards: onwards))
            try? failing.keep(folder.path("delivered"), Self.id, Self.head())
            let next = SessionFolder(path: folder.path("s"), system: .live)
            let names = { try FileManager.default.contentsOfDirectory(atPath: folder.path("s")).sorted() }
            if let found = next.read().files[Self.id] {
                kept += 1
                #expect(found == Self.head() && folder.bytes("s/7.file") == Self.bytes)
                #expect(found.response.headerFields[.eTag] == "\"v1\"")
                next.dropFile(Self.id)
            }
            #expect(try names() == [], "call \(number)")
        }
        #expect(kept > 0)
    }

    @Test("a file of another size than its head says, a file without a head and a torn head are removed")
    func incomplete() throws {
        let folder = try TemporaryFolder()
        let session = SessionFolder(path: folder.path, system: .live)
        try folder.put(Self.bytes, "a")
        try session.keep(folder.path("a"), Self.id, Self.head(199))
        try folder.put(Self.bytes, "8.file")
        try folder.put(Self.bytes, "9.file")
        try folder.put([1, 2], "9.head")
        try folder.put([1, 2], "9.resume")
        try folder.put([1, 2], "10.resume.new")
        try folder.put([1], "other")
        let found = session.read()
        #expect(found.files.isEmpty && found.resumeData.isEmpty)
        // What is left of them is found next time, in whatever order a folder is read.
        _ = session.read()
        #expect(folder.names == ["9.resume", "other"])
    }

    @Test("a delivered file is read as a server sends it: whole, or the requested part of the same version")
    func responses() {
        let head = Self.head().response
        func respond(_ headers: HTTPFields) -> (HTTPResponse, ByteRange) {
            let (head, range) = DeliveryResponse.response(head, size: 200, to: headers)
            return (head, range)
        }
        #expect(respond([:]).1 == ByteRange(0, 200))
        let (part, range) = respond([.range: "bytes=50-99", .ifRange: "\"v1\""])
        #expect(part.status == .partialContent && range == ByteRange(50, 100))
        #expect(part.headerFields[.contentRange] == "bytes 50-99/200")
        #expect(respond([.range: "bytes=50-"]).1 == ByteRange(50, 200))
        #expect(respond([.range: "bytes=50-", .ifRange: "\"v2\""]).1 == ByteRange(0, 200))
        for text in ["bytes=200-", "bytes=9-5", "bytes=-5", "items=1-2", "bytes=1-2,4-5"] {
            #expect(respond([.range: text]).0.status == .ok, "\(text)")
        }
    }
}
