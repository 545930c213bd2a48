import Foundation
import Haul
import Testing

@Suite struct HookOccasionTests {
    @Test func hooksAreRunOnFourKindsOfEvents() {
        let events = Sample.kinds.map { HookOccasion(Sample.event($0), snapshot: Sample.snapshot())?.event }
        #expect(
            events == [
                nil, nil, .added, .started, nil, nil, nil, nil, nil, .completed, .failed, nil, nil, nil,
            ])
    }

    @Test func tellsWhatIsKnownOfAnAddedDownload() throws {
        let occasion = try #require(Sample.occasion(.added))
        #expect(occasion.id?.rawValue == 7)
        #expect(occasion.key == "k")
        #expect(occasion.url == "https://host/x/a.iso")
        #expect(occasion.path == nil)
        #expect(occasion.totalBytes == 9)
        #expect(occasion.error == nil)
        #expect(occasion.group == "g")
        #expect(occasion.tags == ["a", "b"])
        #expect(occasion.time == Sample.time)
    }

    @Test func whatTheEventSaysCountsMoreThanTheSnapshot() throws {
        let snapshot = Sample.snapshot(path: "/d/later")
        let started = try #require(HookOccasion(Sample.event(.started(Sample.start)), snapshot: snapshot))
        #expect(started.path == "/d/begun.iso")
        #expect(started.totalBytes == 9)
        let completed = try #require(HookOccasion(Sample.event(.finished(Sample.finish)), snapshot: snapshot))
        #expect(completed.path == "/d/a.iso")
        #expect(completed.totalBytes == 5)
        let failed = try #require(HookOccasion(Sample.event(.failed(Sample.error)), snapshot: snapshot))
        #expect(failed.path == "/d/later")
        #expect(failed.error == Sample.error)
    }

    @Test func nothingIsKnownButTheTimeWhenIdle() throws {
        let idle = HookOccasion.idle(time: Sample.time)
        #expect(
            HookInvocation(try HookCommand(on: [.idle], arguments: ["x"]), idle).variables == ["HAUL_EVENT": "idle"])
        #expect(idle.time == Sample.time)
    }

    @Test(arguments: Sample.kinds.compactMap { Sample.occasion($0) })
    func codes(occasion: HookOccasion) throws {
        let data = try JSONEncoder().encode(occasion)
        #expect(try JSONDecoder().decode(HookOccasion.self, from: data) == occasion)
    }
}
