import Dispatch
import HaulCLI
import Synchronization
import Testing

@Suite("Waiting for a disk")
struct DiskWaitTests {
    @Test("a disk that does not respond is reported once, and so is its response")
    func silentDisk() async {
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let answers = Mutex<[@Sendable () -> Void]>([])
        let wait = DiskWait(every: .milliseconds(1), ask: { answer in answers.withLock { $0.append(answer) } }) {
            report.yield($0)
        }
        wait.start()
        var iterator = reports.makeAsyncIterator()
        for _ in 0..<2 {
            #expect(await iterator.next() == "waiting for the disk, which has not responded for 5 s")
            let answer = answers.withLock { answers in
                // It is not asked again before it has answered.
                #expect(answers.count == 1)
                return answers.popLast()
            }
            answer?()
            #expect(await iterator.next() == "the disk responds again")
        }
        wait.end()
    }

    @Test("nothing is reported after the end")
    func end() async {
        let (reports, report) = AsyncStream.makeStream(of: String.self)
        let wait = DiskWait(every: .milliseconds(1), ask: { _ in }) { report.yield($0) }
        wait.start()
        var iterator = reports.makeAsyncIterator()
        _ = await iterator.next()
        wait.end()
        report.finish()
        #expect(await iterator.next() == nil)
    }
}
