import Foundation
import HaulCore
import HaulTesting
import Testing

@testable import HaulCLI

@Suite struct JSONReporterTests {
    private func scene(_ events: [TransferEvent]) throws -> Scene {
        var scene = Scene(JSONReporter())
        let job = try Scene.job(7, "http://me:hunter2@h/a")
        for event in events { scene.take(.event(job, event)) }
        return scene
    }

    private static let head = #""url":"http://h/a","id":7"#

    @Test func startAndProgress() throws {
        var scene = try scene([Scene.started("/d/a", nil), Scene.progress(512, of: 1024, speed: 0.5)])
        #expect(
            scene.output().standardOutput == """
                {"event":"started",\(Self.head),"path":"/d/a","totalBytes":null,"resumedBytes":0,"insecure":false}
                {"event":"progress",\(Self.head),"fileBytes":512,"sessionBytes":512,"totalBytes":1024,"speed":0.5,\
                "averageSpeed":0.5,"secondsLeft":1024,"connections":2}

                """)
    }

    @Test func waitsAndNotices() throws {
        let error = DownloadError(.connectionFailed, "reset", cause: "ECONNRESET")
        var scene = try scene([
            .waiting(.serverAsked(status: 429), seconds: 1.5), .waiting(.retrying(error, attempt: 3), seconds: .nan),
            .notice(.partialQuarantined(reason: "cut")), .notice(.sourceChanged), .notice(.rangesIgnored),
            .notice(.fewerConnections(2)), .notice(.headerDigestWrong(header: "Digest", host: "h")),
            .waiting(.connections(host: "h", limit: 4), seconds: 10),
        ])
        #expect(
            scene.output().standardOutput == """
                {"event":"waiting",\(Self.head),"reason":"serverAsked","status":429,"seconds":1.5}
                {"event":"waiting",\(Self.head),"reason":"retrying","attempt":3,"error":{"code":"connectionFailed",\
                "message":"reset","cause":"ECONNRESET"},"seconds":null}
                {"event":"notice",\(Self.head),"notice":"partialQuarantined","reason":"cut"}
                {"event":"notice",\(Self.head),"notice":"sourceChanged"}
                {"event":"notice",\(Self.head),"notice":"rangesIgnored"}
                {"event":"notice",\(Self.head),"notice":"fewerConnections","connections":2}
                {"event":"notice",\(Self.head),"notice":"headerDigestWrong","header":"Digest","host":"h"}
                {"event":"waiting",\(Self.head),"reason":"connections","limit":4,"seconds":10}

                """)
    }

    @Test func endAndSummary() throws {
        var scene = try scene([Scene.finished("a", 9), .failed(DownloadError(.notFound, "gone"))])
        scene.take(.badLine(BadLine(id: 8, list: "-", line: 2, message: "bad")))
        scene.take(Scene.closing())
        #expect(
            scene.output().standardOutput == """
                {"event":"finished",\(Self.head),"path":"a","totalBytes":9,"sessionBytes":9,"seconds":2,\
                "verified":null,"kept":false,"verification":{"by":"size"}}
                {"event":"failed",\(Self.head),"code":"notFound","message":"gone","cause":null,"exitCode":3}
                {"event":"failed","url":null,"id":8,"code":"invalidRequest","message":"bad","cause":null,\
                "exitCode":2,"list":"-","line":2}
                {"event":"summary","complete":1,"kept":0,"failed":2,"stopped":0,"bytes":9,"seconds":14,"exitCode":1}

                """)
    }

    @Test func progressComesOnceASecondAtMost() throws {
        var scene = Scene(JSONReporter())
        let job = try Scene.job(1, "http://h/a")
        for tenths in 0...35 {
            scene.take(.event(job, Scene.progress(Int64(tenths), of: 100)), at: Double(tenths) / 10)
        }
        #expect(scene.output().standardOutput.split(separator: "\n").count == 4)
    }

    @Test func aReaderThatStoppedCostsProgressOnly() throws {
        var scene = Scene(JSONReporter())
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
            let path = random.text(maximum: 20, of: "\"\\\n\r\t\0\u{7F}\u{2028}/")
            var scene = try scene([Scene.started(path, 1)])
            let text = scene.output().standardOutput
            #expect(text.filter { $0.isNewline }.count == 1)
            let read = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            #expect(read?["path"] as? String == path)
        }
    }

    @Test(arguments: [
        (0.1234, "0.123"), (1e14, "100000000000000"), (1e20, "1e+20"), (-0.5, "-0.5"), (.infinity, "null"),
    ])
    func numbersAreJSON(value: Double, text: String) {
        var object = JSONObject()
        object.add("n", value)
        #expect(object.text == "{\"n\":\(text)}")
    }
}
