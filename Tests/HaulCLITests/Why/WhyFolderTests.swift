import Foundation
import HaulCore
import HaulTestData
import HaulTesting
import Testing

@testable import HaulCLI

@Suite struct WhyFolderTests {
    private func folder() throws -> (TemporaryFolder, WhyFolder) {
        let temporary = try TemporaryFolder()
        return (temporary, WhyFolder(path: temporary.path + "/state/haul/why"))
    }

    private func mode(_ path: String) throws -> Int {
        let number = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
        return try #require(number).intValue
    }

    @Test func whatIsWrittenIsReadAgainAndOnlyByItsOwner() throws {
        let (temporary, folder) = try folder()
        let record = WhySample.get([WhySample.transfer(3)])
        folder.write(record)
        #expect(try folder.record(ofProcess: nil) == record)
        #expect(try folder.record(ofProcess: 4711) == record)
        let name = try #require(folder.names().first)
        #expect(try mode("\(folder.path)/\(name)") == 0o600 && mode(folder.path) == 0o700)
        #expect(try WhyFolder.record(at: "\(folder.path)/\(name)") == record)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        _ = temporary
    }

    @Test func theNewestIsTakenAndTwentyAreKept() throws {
        let (temporary, folder) = try folder()
        for number in 1...25 {
            folder.write(WhySample.get([], process: Int32(number % 5 + 1), began: 1_700_000_000_000 + Int64(number)))
        }
        #expect(try folder.record(ofProcess: nil).began == 1_700_000_000_025)
        #expect(try folder.record(ofProcess: 3).began == 1_700_000_000_022)
        folder.tidy()
        #expect(folder.names().count == WhyFolder.maxRecords)
        #expect(folder.names().first?.hasPrefix("1700000000006-") == true)
        _ = temporary
    }

    @Test func aLaterRecordTakesThePlaceOfAnEarlierOne() throws {
        let (temporary, folder) = try folder()
        var record = WhySample.get([])
        record.isOver = false
        folder.write(record)
        record.isOver = true
        folder.write(record)
        #expect(folder.names().count == 1)
        #expect(try folder.record(ofProcess: nil).isOver)
        _ = temporary
    }

    @Test func wherePlaceIsNoneNothingHappens() throws {
        let temporary = try TemporaryFolder()
        try temporary.put([1], "file")
        let folder = WhyFolder(path: temporary.path + "/file/why")
        folder.write(WhySample.get([]))
        folder.tidy()
        #expect(temporary.names == ["file"])
        #expect(throws: DownloadError.self) { try folder.record(ofProcess: nil) }
        #expect(throws: DownloadError.self) { try WhyFolder.record(at: temporary.path) }
        #expect(throws: DownloadError.self) { try WhyFolder.record(at: temporary.path + "/file") }
    }

    @Test(arguments: [
        (["XDG_STATE_HOME": "/s", "HOME": "/h"], "/s/haul/why"), (["HOME": "/h"], "/h/.local/state/haul/why"),
        (["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/haul/why"), (["HOME": "here"], nil), ([:], nil),
    ])
    func thePlaceFollowsTheEnvironment(variables: [String: String], path: String?) {
        #expect(WhyFolder(TerminalEnvironment { variables[$0] })?.path == path)
    }

    /// Bytes of any kind are refused or explained, and never trap.
    @Test func damagedRecordsAreRefusedOrReadable() throws {
        let good = Array(try WhyFolder.text(WhySample.get([WhySample.transfer(2)])).utf8)
        #expect(WhyFolder.record(from: good) != nil)
        var generator = SeededGenerator(seed: 7)
        let pieces = ["9", "-", "e308", "null", "\"", "[", "9223372036854775807", "0.0"].map { Array($0.utf8) }
        var readable = 0
        for _ in 0..<3000 {
            var bytes = good
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                let end = min(bytes.count, place + Int.random(in: 0...3, using: &generator))
                bytes.replaceSubrange(place..<end, with: pieces.randomElement(using: &generator) ?? [])
            }
            guard let record = WhyFolder.record(from: bytes) else { continue }
            readable += 1
            let text = WhyText(record, isRunning: false, style: Style(unicode: true, colour: false)).text
            #expect(!text.isEmpty)
        }
        #expect(readable > 0)
    }
}
