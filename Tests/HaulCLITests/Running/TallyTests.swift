import HaulCore
import Testing

@testable import HaulCLI

@Suite struct TallyTests {
    private func tally(_ codes: [DownloadError.Code?], cutShort: Bool = false) throws -> Tally {
        var tally = Tally()
        for (index, code) in codes.enumerated() {
            let job = try Scene.job(index + 1, "http://h/\(index)")
            tally.take(.event(job, code.map { .failed(DownloadError($0, "m")) } ?? Scene.finished("a", 10)))
        }
        if cutShort { tally.take(.cutShort) }
        return tally
    }

    @Test(
        arguments: [
            ([], ExitCode.complete), ([nil, nil], .complete), ([nil, .notFound], .notFound),
            ([.notFound, .notFound, nil], .notFound), ([.notFound, .timedOut], .mixed),
            ([.notFound, .timedOut, .timedOut], .mixed),
        ] as [([DownloadError.Code?], ExitCode)])
    func theSameReasonHasItsCodeAndOthersAreMixed(codes: [DownloadError.Code?], expected: ExitCode) throws {
        #expect(try tally(codes).exitCode(stop: nil) == expected)
    }

    @Test(arguments: StopReason.allCases) func aStopCountsWhereItStoppedSomething(stop: StopReason) throws {
        #expect(try tally([nil, .cancelled]).exitCode(stop: stop) == stop.exitCode)
        #expect(try tally([nil], cutShort: true).exitCode(stop: stop) == stop.exitCode)
        #expect(try tally([nil]).exitCode(stop: stop) == .complete)
        #expect(try tally([.notFound, .cancelled]).exitCode(stop: stop) == stop.exitCode)
    }

    @Test func aBadLineIsAFailure() {
        var tally = Tally()
        tally.take(.badLine(BadLine(id: 1, list: "l", line: 1, message: "m")))
        #expect(tally.failed == 1 && tally.exitCode(stop: nil) == .invalidRequest)
    }

    @Test func bytesOfAllAreCountedOnce() throws {
        var tally = Tally()
        let jobs = [try Scene.job(1, "http://h/a"), try Scene.job(2, "http://h/b")]
        tally.take(.event(jobs[0], Scene.progress(5, of: 10)))
        tally.take(.event(jobs[1], Scene.progress(7, of: 10)))
        #expect(tally.bytes == 12)
        tally.take(.event(jobs[0], Scene.finished("a", 10)))
        tally.take(.event(jobs[1], .failed(DownloadError(.cancelled, "m"))))
        #expect(tally.bytes == 17 && tally.stoppedProgress?.fileBytes == 7)
    }

    @Test func aDownloadThatContinuesIsNotStopped() throws {
        var tally = Tally()
        let job = try Scene.job(1, "http://h/a")
        tally.take(.event(job, Scene.progress(5, of: 10)))
        tally.take(.event(job, .failed(DownloadError(.cancelled, "m"))))
        #expect(tally.stopped == 1 && tally.ended == 1)
        tally.take(.event(job, Scene.started("a", 10)))
        #expect(tally.stopped == 0 && tally.ended == 0)
        tally.take(.event(job, Scene.finished("a", 10)))
        #expect(tally.complete == 1 && tally.stopped == 0 && tally.exitCode(stop: .interrupt) == .complete)
    }

    @Test func bytesOfTwoRunsOfOneDownloadAreCounted() throws {
        var tally = Tally()
        let job = try Scene.job(1, "http://h/a")
        tally.take(.event(job, Scene.progress(5, of: 10)))
        tally.take(.event(job, .waiting(.openFiles, seconds: 0)))
        tally.take(.event(job, Scene.started("a", 10)))
        #expect(tally.bytes == 5)
        tally.take(.event(job, Scene.progress(2, of: 10)))
        #expect(tally.bytes == 7)
        tally.take(.event(job, Scene.finished("a", 6)))
        #expect(tally.bytes == 11)
    }

    @Test func hugeSizesDoNotTrap() throws {
        var tally = Tally()
        for id in 1...3 { tally.take(.event(try Scene.job(id, "http://h/a"), Scene.progress(.max, of: .max))) }
        #expect(tally.bytes == .max)
        for id in 1...3 { tally.take(.event(try Scene.job(id, "http://h/a"), Scene.finished("a", .max))) }
        #expect(tally.bytes == .max)
    }
}
