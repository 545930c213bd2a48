import Foundation
import HaulCore
import Testing

@testable import HaulCLI

@Suite struct JobQueueTests {
    private func withList<Value>(_ text: String, _ body: (String) async throws -> Value) async throws -> Value {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("list-\(UUID()).txt").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }

    private func items(_ queue: JobQueue) async -> [String] {
        var queue = queue
        var items: [String] = []
        while let item = await queue.next() {
            switch item {
            case .job(let job, let spec): items.append("\(job.id) \(spec.url) \(job.name)")
            case .bad(let bad): items.append("\(bad.id) bad line \(bad.line)")
            }
        }
        #expect(!queue.mayHaveMore)
        return items
    }

    @Test func argumentsComeFirstAndBadLinesDoNotStopTheRest() async throws {
        let text = "# list\n\nhttp://h/one\r\nnot a url\nhttp://h/dir/\nhttp://h/two"
        let read = try await withList(text) { path in
            await items(try JobQueue(urls: ["http://h/zero"], list: path))
        }
        #expect(
            read == [
                "1 http://h/zero zero", "2 http://h/one one", "3 bad line 4", "4 http://h/dir/ h",
                "5 http://h/two two",
            ])
    }

    @Test func aLongListIsReadToItsEnd() async throws {
        let text = (1...20_000).map { "http://h/\($0)\n" }.joined()
        let read = try await withList(text) { await items(try JobQueue(urls: [], list: $0)) }
        #expect(read.count == 20_000)
        #expect(read.last == "20000 http://h/20000 20000")
    }

    @Test func whatWasReadAheadIsThereWithoutWaiting() async throws {
        let text = "http://h/1\nno url\nhttp://h/3\n  out=three\nhttp://h/4\n"
        let numbers = try await withList(text) { path in
            var queue = try JobQueue(urls: ["http://h/0"], list: path)
            #expect(queue.nextRead() == nil)
            var numbers = [Self.number(await queue.next()), Self.number(await queue.next())]
            while let item = queue.nextRead() { numbers.append(Self.number(item)) }
            // The last one may have options yet: it is there once the end was read.
            #expect(queue.mayHaveMore)
            numbers.append(Self.number(await queue.next()))
            #expect(await queue.next() == nil)
            return numbers
        }
        #expect(numbers == [1, 2, 3, 4, 5])
    }

    @Test("a list is read ahead as far as wanted, without waiting for what is not there")
    func readAhead() async throws {
        let known = try await withList((1...500).map { "http://h/\($0)\n  out=\($0)\n  connections=1\n" }.joined()) {
            path in
            var queue = try JobQueue(urls: ["http://h/0"], list: path)
            #expect(queue.known == 1)
            await queue.readAhead(to: 30)
            return queue.known
        }
        #expect((30..<60).contains(known))
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try FileHandle(fileDescriptor: ends[1]).write(contentsOf: Data("http://h/1\nhttp://h/2\n".utf8))
        var queue = try JobQueue(urls: [], list: "/dev/fd/\(ends[0])")
        await queue.readAhead(to: 30)
        #expect(queue.known == 2)
        #expect(Self.number(await queue.next()) == 1)
        // The second one still waits for its options.
        #expect(queue.nextRead() == nil && queue.mayHaveMore)
        #expect(Self.number(await queue.next()) == 2)
    }

    private static func number(_ item: JobQueue.Item?) -> Int? {
        switch item {
        case nil: nil
        case .job(let job, _): job.id
        case .bad(let bad): bad.id
        }
    }

    @Test func aListThatIsNotThereIsNamed() {
        let error = #expect(throws: DownloadError.self) { try JobQueue(urls: [], list: "/nonexistent/list") }
        #expect(error?.code == .invalidRequest)
        #expect(error?.cause == "No such file or directory")
    }

    @Test func aFolderIsAReadError() async throws {
        #expect(await items(try JobQueue(urls: [], list: "/")) == ["1 bad line 0"])
    }

    @Test func aCancelledTaskStopsWaitingForALine() async throws {
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let queue = try JobQueue(urls: [], list: "/dev/fd/\(ends[0])")
        let task = Task {
            var queue = queue
            return await queue.next() == nil && queue.mayHaveMore
        }
        task.cancel()
        #expect(await task.value)
    }
}
