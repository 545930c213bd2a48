import Foundation
import Haul
import Testing

@Suite struct HookContextTests {
    @Test func hooksAreRunOnFourKindsOfEvents() {
        let events = Sample.kinds.map { HookContext(Sample.event($0), snapshot: Sample.snapshot())?.event }
        #expect(
            events == [
                nil, nil, .added, .started, nil, nil, nil, nil, nil, .completed, .failed, nil, nil, nil,
            ])
    }

    @Test func tellsWhatIsKnownOfAnAddedDownload() throws {
        let context = try #require(Sample.context(.added))
        #expect(context.id?.rawValue == 7)
        #expect(context.key == "k")
        #expect(context.url == "https://host/x/a.iso")
        #expect(context.path == nil)
        #expect(context.totalBytes == 9)
        #expect(context.error == nil)
        #expect(context.group == "g")
        #expect(context.tags == ["a", "b"])
        #expect(context.time == Sample.time)
    }

    @Test func whatTheEventSaysCountsMoreThanTheSnapshot() throws {
        let snapshot = Sample.snapshot(path: "/d/later")
        let started = try #require(HookContext(Sample.event(.started(Sample.start)), snapshot: snapshot))
        #expect(started.path == "/d/begun.iso")
        #expect(started.totalBytes == 9)
        let completed = try #require(HookContext(Sample.event(.finished(Sample.finish)), snapshot: snapshot))
        #expect(completed.path == "/d/a.iso")
        #expect(completed.totalBytes == 5)
        let failed = try #require(HookContext(Sample.event(.failed(Sample.error)), snapshot: snapshot))
        #expect(failed.path == "/d/later")
        #expect(failed.error == Sample.error)
    }

    @Test func nothingIsKnownButTheTimeWhenIdle() throws {
        let idle = HookContext.idle(time: Sample.time)
        #expect(
            HookInvocation(try HookCommand(on: [.idle], arguments: ["x"]), idle).variables == ["HAUL_EVENT": "idle"])
        #expect(idle.time == Sample.time)
    }

    @Test(arguments: Sample.kinds.compactMap { Sample.context($0) })
    func codes(context: HookContext) throws {
        let data = try JSONEncoder().encode(context)
        #expect(try JSONDecoder().decode(HookContext.self, from: data) == context)
    }
}
