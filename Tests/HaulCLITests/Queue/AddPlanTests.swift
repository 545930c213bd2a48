import ArgumentParser
import HaulCore
import HaulWire
import Testing

@testable import HaulCLI

@Suite("What haul add asks for")
struct AddPlanTests {
    private func plan(_ arguments: [String]) throws -> AddPlan {
        let command = try AddCommand.parse(arguments)
        return try AddPlan(command.arguments)
    }

    private func request(_ arguments: [String]) async throws -> DownloadRequest {
        let plan = try plan(arguments)
        var queue = try JobQueue(urls: plan.plan.urls, list: nil, template: plan.plan.template)
        guard case .job(_, let spec)? = await queue.next() else { throw DownloadError(.internal, "there is none") }
        return try plan.request(spec)
    }

    @Test("without --directory it is the daemon's usual folder")
    func folders() async throws {
        let bare = try await request(["http://h/a"])
        #expect(bare.folder == nil && bare.name == nil)
        let named = try await request(["http://h/a", "-o", "b"])
        #expect(named.folder == nil && named.name == "b")
        let placed = try await request(["http://h/a", "-d", "/x", "-o", "b"])
        #expect(placed.folder == "/x" && placed.name == "b")
        let here = try #require(try await request(["http://h/a", "-d", "."]).folder)
        #expect(here.hasPrefix("/") && here != "/")
    }

    @Test(
        "relative paths are below the daemon's usual folder, unless they begin with a dot",
        arguments: [
            ("new/b", "new"), ("a/b/c", "a/b"), ("/x/b", "/x"), ("b", nil), (".b", nil), (".a/b", ".a"),
        ] as [(String, String?)])
    func relative(output: String, folder: String?) async throws {
        #expect(try await request(["http://h/a", "-o", output]).folder == folder)
    }

    @Test("a path that begins with a dot is below the folder of the command", arguments: ["./b", "../b", "./a/b"])
    func dots(output: String) async throws {
        let folder = try #require(try await request(["http://h/a", "-o", output]).folder)
        #expect(folder.hasPrefix("/"))
    }

    @Test func options() async throws {
        let request = try await request([
            "http://h/a", "--key", "k", "--group", "g", "--tag", "t", "--tag", "s", "--priority", "-3", "--paused",
            "--not-before", "2030-01-31T12:00:00Z", "--limit-rate", "1K", "-c", "4", "-H", "X-Y: z", "--on-conflict",
            "rename", "--after", "12", "--after", "3", "--networks", "unmetered",
        ])
        #expect(request.networks == .unmetered)
        #expect(request.after == [DownloadID(rawValue: 3), DownloadID(rawValue: 12)])
        #expect(request.key == "k" && request.group == "g" && request.tags == ["s", "t"] && request.priority == -3)
        #expect(request.startsPaused == true && !request.startsAtOnce && request.rateLimit == 1024)
        #expect(request.notBefore.map { WireJSON.time($0) } == "2030-01-31T12:00:00.000Z")
        #expect(request.connections == .fixed(4) && request.onConflict == .rename)
        #expect(request.headers == [DownloadSpec.Header(name: "X-Y", value: "z")])
    }

    @Test(arguments: [
        [], ["ftp:"], ["http://h/a", "-o", "-"], ["http://h/a", "http://h/b", "--key", "k"],
        ["http://h/a", "--after", "0"], ["http://h/a", "--after", "x"], ["http://h/a", "--networks", "cheap"],
        ["http://h/a", "--priority", "2000"], ["http://h/a", "--not-before", "noon"],
        ["http://h/a", "--limit-rate", "x"],
        ["http://h/a", "-c", "0"], ["http://h/a", "http://h/b", "-o", "x"],
    ])
    func refused(_ arguments: [String]) { #expect(throws: InvalidOptions.self) { try plan(arguments) } }
}
