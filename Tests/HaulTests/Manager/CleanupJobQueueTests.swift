import Haul
import HaulCore
import HaulEngine
import Testing

@testable import HaulLocal

@Suite("File work")
struct CleanupJobQueueTests {
    private static let job = CleanupJob.discard(
        DownloadSpec(url: "http://127.0.0.1:1/", destination: .folder(path: "/")), RunOptions())

    @Test("a few jobs run at once for each disk, in order, and one disk does not wait for another")
    func order() {
        var queue = CleanupJobQueue()
        let ids = (0..<30).map { DownloadID(rawValue: $0) }
        for id in ids.prefix(20) { queue.add(Self.job, of: id, on: "frozen") }
        #expect(queue.due().map(\.0) == Array(ids[0..<8]))
        #expect(queue.due().isEmpty)
        for id in ids.suffix(10) { queue.add(Self.job, of: id, on: "other") }
        #expect(queue.due().map(\.0) == Array(ids[20..<28]))
        queue.end(ids[21])
        #expect(queue.due().map(\.0) == [ids[28]])
        for id in ids[0..<8] { queue.end(id) }
        #expect(queue.due().map(\.0) == Array(ids[8..<16]))
        for id in ids[8..<16] + ids[20..<29] { queue.end(id) }
        #expect(Set(queue.due().map(\.0)) == Set(ids[16..<20] + [ids[29]]))
    }
}
