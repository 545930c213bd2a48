import ArgumentParser
import HaulCore
import Synchronization
import Testing

@testable import HaulCLI

@Suite struct MirrorOptionsTests {
    private func plan(_ arguments: [String]) throws -> GetPlan {
        let command = try #require(try HaulCommand.parseAsRoot(["get"] + arguments) as? GetCommand)
        return try GetPlan(command.arguments)
    }

    @Test func mirrorsAndMetalinksReachThePlan() throws {
        let plan = try plan(["http://h/x", "--mirror", "http://a/x", "--mirror", "http://b/x", "-o", "f"])
        #expect(plan.template.mirrors == [.init(url: "http://a/x"), .init(url: "http://b/x")])
        #expect(plan.expected == 1)
        let other = try self.plan(["--metalink", "a.meta4", "--metalink", "http://h/b.meta4"])
        #expect(other.metalinks == ["a.meta4", "http://h/b.meta4"])
        #expect(other.expected == nil)
    }

    @Test(
        arguments: [
            ["http://h/x", "http://h/y", "--mirror", "http://a/x"], ["--mirror", "http://a/x"],
            ["http://h/x", "--mirror", "nonsense"], ["--metalink", ""], ["--metalink", "a", "-o", "f"],
            ["--metalink", "a", "--checksum", "md5:" + String(repeating: "0", count: 32)],
            ["http://h/x", "-i", "list", "--mirror", "http://a/x"],
        ])
    func whatCanNotBeIsSaidInOneLine(arguments: [String]) {
        let error = #expect(throws: InvalidOptions.self) { try plan(arguments) }
        #expect(error?.messages.isEmpty == false)
    }

    @Test func aSpecOfItsOwnKeepsTheOptionsOfTheRun() async throws {
        var plan = GetPlan(urls: [])
        plan.template.retries = 77
        var own = DownloadSpec(url: "http://h/x", destination: .file(path: "d/x"))
        own.mirrors = [.init(url: "http://m/x")]
        own.expectedBytes = 9
        let seen = Mutex<[DownloadSpec]>([])
        let console = Console(reporters: [], now: { .zero }, onBrokenOutput: {})
        let run = GetRun(plan, console: console) { _, spec, _, _ in
            seen.withLock { $0.append(spec) }
            return .failure(DownloadError(.notFound, "n"))
        }
        _ = await run.run(
            try JobQueue(urls: [], specs: [plan.template.like(own, from: nil, granted: plan.template)], list: nil),
            stops: AsyncStream { _ in })
        var wanted = own
        wanted.retries = 77
        wanted.isNamedByDocument = true
        #expect(seen.withLock { $0 } == [wanted])
    }

    @Test func noticesNameTheSource() {
        let left = EventText.notice(.sourceExcluded(url: "http://m/x", reason: "gone\u{1B}[2J"), name: "n")
        #expect(left.hasPrefix("n: continuing without the source http://m/x: gone"))
        #expect(!left.contains("\u{1B}"))
        #expect(EventText.notice(.badPieces(1), name: "n") == "n: 1 piece is damaged: downloading it again")
        #expect(EventText.notice(.badPieces(2), name: "n") == "n: 2 pieces are damaged: downloading them again")
    }
}
