import Foundation
import HaulCore
import HaulTestData
import HaulTesting
import HaulWire
import Testing

@testable import HaulCLI

@Suite struct JSONReporterTests {
    private func scene(_ events: [TransferEvent]) throws -> Scene {
        var scene = Scene(Self.reporter())
        let job = try Scene.job(7, "http://me:hunter2@h/a")
        for event in events { scene.take(.event(job, event)) }
        return scene
    }

    private static func reporter() -> JSONReporter { JSONReporter(clock: { Date(timeIntervalSince1970: 90) }) }

    /// The fields that all events have.
    private static func head(_ event: String, _ number: Int) -> String {
        "\"download\":7,\"event\":\"\(event)\",\"number\":\(number)"
    }

    private static let tail = #""time":"1970-01-01T00:01:30.000Z","url":"http://h/a""#

    @Test("start and progress, with the fields of the daemon's events")
    func startAndProgress() throws {
        var scene = try scene([Scene.started("/d/a", nil), Scene.progress(512, of: 1024, speed: 0.5)])
        #expect(
            scene.output().standardOutput == """
                {\(Self.head("started", 1)),"start":{"insecure":false,"path":"/d/a","resumedBytes":0},\(Self.tail)}
                {\(Self.head("progress", 1)),"progress":{"averageSpeed":0.5,"connections":2,"fileBytes":512,\
                "secondsLeft":1024,"sessionBytes":512,"speed":0.5,"totalBytes":1024},\(Self.tail)}

                """)
    }

    @Test("each line is an event that a client of the daemon can read")
    func isAnEvent() throws {
        let error = DownloadError(.connectionFailed, "reset", cause: "ECONNRESET")
        let events: [TransferEvent] = [
            .waiting(.serverAsked(status: 429), seconds: 1.5), .waiting(.retrying(error, attempt: 3), seconds: .nan),
            .notice(.partialQuarantined(reason: "cut")), .notice(.sourceChanged), .notice(.rangesIgnored),
            .notice(.fewerConnections(2)), .notice(.headerDigestWrong(header: "Digest", host: "h")),
            .waiting(.connections(host: "h", limit: 4), seconds: 10), Scene.finished("a", 9), .failed(error),
        ]
        var scene = try scene(events)
        let lines = scene.output().standardOutput.split(separator: "\n")
        #expect(lines.count == events.count)
        let time = Date(timeIntervalSince1970: 90)
        for (index, (line, event)) in zip(lines, events).enumerated() {
            let read = try WireJSON.decode(EventMessage.self, from: Data(line.utf8)).reported
            #expect(read.number == Int64(index + 1) && read.download == DownloadID(rawValue: 7) && read.time == time)
            let expected: DownloadEvent.Kind =
                switch event {
                case .waiting(let reason, let seconds):
                    .waiting(reason, until: seconds.isNaN ? time : time + seconds)
                case .notice(let notice): .notice(notice)
                case .finished(let facts): .finished(facts)
                case .failed(let error): .failed(error)
                case .started, .progress: .added
                }
            #expect(read.kind == expected)
        }
    }

    @Test func endAndSummary() throws {
        var scene = try scene([.failed(DownloadError(.notFound, "gone"))])
        scene.take(.badLine(BadLine(id: 8, list: "-", line: 2, message: "bad")))
        scene.take(Scene.closing())
        #expect(
            scene.output().standardOutput == """
                {"download":7,"error":{"code":"notFound","message":"gone"},"event":"failed","exitCode":3,"number":1,\
                \(Self.tail)}
                {"download":8,"error":{"code":"invalidRequest","message":"bad"},"event":"failed","exitCode":2,\
                "line":2,"list":"-","number":2,"time":"1970-01-01T00:01:30.000Z"}
                {"bytes":0,"complete":0,"event":"summary","exitCode":1,"failed":2,"kept":0,"seconds":14,"stopped":0}

                """)
    }

    @Test func progressComesOnceASecondAtMost() throws {
        var scene = Scene(Self.reporter())
        let job = try Scene.job(1, "http://h/a")
        for tenths in 0...35 {
            scene.take(.event(job, Scene.progress(Int64(tenths), of: 100)), at: Double(tenths) / 10)
        }
        #expect(scene.output().standardOutput.split(separator: "\n").count == 4)
    }

    @Test func aReaderThatStoppedCostsProgressOnly() throws {
        var scene = Scene(Self.reporter())
        let job = try Scene.job(1, "http://h/a")
        for second in 0..<3000 { scene.take(.event(job, Scene.progress(1, of: 100)), at: Double(second)) }
        scene.take(.event(job, Scene.finished("a", 100)))
        let text = scene.output().standardOutput
        #expect(text.utf8.count < JSONReporter.backlog + 1024)
        #expect(text.contains("\"finished\""))
    }

    @Test func anyTextIsValidJSON() throws {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<2000 {
            let path = random.text(maximum: 20, of: "\"\\\n\r\t\0\u{7F}\u{85}\u{2028}\u{2029}/")
            var scene = try scene([Scene.started(path, 1)])
            let text = scene.output().standardOutput
            #expect(text.filter { $0.isNewline }.count == 1)
            let read = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            #expect((read?["start"] as? [String: Any])?["path"] as? String == path)
        }
    }
}
