import HaulCore
import Testing

@testable import HaulCLI

@Suite struct TerminalReporterTests {
    private let plain = Style(unicode: true, colour: false)

    /// The lines of a frame without the sequences that place them.
    private func lines(_ output: Output) -> [String] {
        var text = ""
        var inSequence = false
        for scalar in output.standardError.unicodeScalars {
            if scalar == "\u{1B}" { inSequence = true }
            if !inSequence, scalar != "\r" { text.unicodeScalars.append(scalar) }
            if inSequence, ("A"..."Z").contains(scalar) { inSequence = false }
        }
        return text.split(separator: "\n").map(String.init)
    }

    @Test func oneDownloadFromBeginToEnd() throws {
        var scene = Scene(TerminalReporter(style: plain, expected: 1))
        let job = try Scene.job(1, "http://h/from-url.bin")
        scene.take(.began(job))
        #expect(lines(scene.output()) == ["from-url.bin connecting"])
        scene.take(.event(job, Scene.started("/d/a.bin", 4096)))
        scene.take(.event(job, Scene.progress(2048, of: 4096)))
        #expect(lines(scene.output()) == ["a.bin        ███▌───  50 %   2.0 KiB   1.0 KiB/s     2s  2×"])
        scene.take(.event(job, Scene.finished("/d/a.bin", 4096)))
        #expect(lines(scene.output()) == ["✓ a.bin  4.0 KiB in 2.0 s, 2.0 KiB/s, no checksum available"])
        scene.take(Scene.closing())
        #expect(scene.output().standardError.isEmpty)
    }

    @Test func unknownSizesMoveWithoutPercent() throws {
        var scene = Scene(TerminalReporter(style: plain, expected: 1))
        let job = try Scene.job(1, "http://h/s")
        scene.take(.event(job, Scene.started("s", nil)))
        scene.take(.event(job, Scene.progress(2048, of: nil)))
        let first = lines(scene.output(at: 0))
        #expect(first == ["s            █──────         2.0 KiB   1.0 KiB/s         2×"])
        #expect(lines(scene.output(at: 0.3)) == ["s            ───█───         2.0 KiB   1.0 KiB/s         2×"])
    }

    @Test func aWaitIsShownUntilBytesCome() throws {
        var scene = Scene(TerminalReporter(style: plain, expected: 1))
        let job = try Scene.job(1, "http://h/w")
        scene.take(.event(job, Scene.started("w", 4096)))
        scene.take(.event(job, Scene.progress(1024, of: 4096)))
        scene.take(.event(job, .waiting(.serverAsked(status: 429), seconds: 12)), at: 1)
        #expect(lines(scene.output(at: 1)) == ["w            waiting 12s: 429 Too Many Requests"])
        scene.take(.event(job, Scene.progress(1024, of: 4096)))
        #expect(lines(scene.output(at: 6)) == ["w            waiting 7s: 429 Too Many Requests"])
        #expect(lines(scene.output(at: 14)) == ["w            retrying: 429 Too Many Requests"])
        scene.take(.event(job, Scene.progress(1025, of: 4096)))
        #expect(lines(scene.output(at: 14)).first?.contains("25 %") == true)
    }

    @Test("small files are over before they have a speed, and count in the total's all the same")
    func smallFilesHaveASpeed() throws {
        var scene = Scene(TerminalReporter(style: plain, expected: nil))
        scene.take(.began(try Scene.job(0, "http://h/waits")), at: 0)
        for second in 0...4 {
            _ = scene.output(at: Double(second))
            let job = try Scene.job(second + 1, "http://h/\(second)")
            scene.take(.began(job))
            scene.take(.event(job, Scene.started("\(second)", 2048)))
            scene.take(.event(job, Scene.finished("\(second)", 2048)))
        }
        #expect(lines(scene.output(at: 5)).last == "total        5 complete, 2.0 KiB/s, 10.0 KiB")
        #expect(lines(scene.output(at: 1000)).last == "total        5 complete, 0 B/s, 10.0 KiB")
    }

    @Test func severalHaveATotal() throws {
        var scene = Scene(TerminalReporter(style: plain, expected: 2))
        let jobs = [try Scene.job(1, "http://h/a"), try Scene.job(2, "http://h/b")]
        scene.take(.began(jobs[0]))
        #expect(lines(scene.output()).last == "total        0 of 2 complete, 0 B/s, 0 B")
        scene.take(.event(jobs[0], Scene.started("a", 4096)))
        scene.take(.event(jobs[1], Scene.started("b", 4096)))
        scene.take(.event(jobs[0], Scene.progress(1024, of: 4096)))
        scene.take(.event(jobs[1], Scene.progress(3072, of: 4096)))
        #expect(lines(scene.output()).last == "total 0/2    ███▌───  50 %   4.0 KiB   2.0 KiB/s     2s  4×")
        scene.take(.event(jobs[0], .failed(DownloadError(.notFound, "it is gone"))))
        scene.take(.event(jobs[1], Scene.finished("b", 4096)))
        scene.take(Scene.closing())
        #expect(
            lines(scene.output()) == [
                "haul: a: it is gone <http://h/a>", "✓ b  4.0 KiB in 2.0 s, 2.0 KiB/s, no checksum available",
                "1 of 2 complete, 1 failed, 5.0 KiB in 14.0 s",
            ])
    }

    @Test func insecureIsInTheBarAndInTheLastLine() throws {
        var scene = Scene(TerminalReporter(style: plain, expected: 1))
        let job = try Scene.job(1, "https://h/a")
        scene.take(.event(job, Scene.started("a", 4096, insecure: true)))
        #expect(lines(scene.output()).first?.contains("insecure") == true)
        scene.take(.event(job, Scene.finished("a", 4096)))
        #expect(lines(scene.output()).first?.hasSuffix("no checksum available, insecure") == true)
    }

    @Test func aLowWindowShowsWhatFits() throws {
        var scene = Scene(TerminalReporter(style: plain, expected: nil))
        for id in 1...9 { scene.take(.began(try Scene.job(id, "http://h/\(id)"))) }
        scene.window.rows = 6
        let shown = lines(scene.output())
        #expect(shown.count == 5)
        #expect(shown[3].hasSuffix("and 6 more"))
        #expect(shown[4].hasPrefix("total"))
    }

    @Test func everyWidthAndHeightIsSurvived() throws {
        var scene = Scene(TerminalReporter(style: plain, expected: nil))
        let job = try Scene.job(1, "http://h/%F0%9F%8E%89%F0%9F%8E%89%E6%97%A5%E6%9C%AC%E8%AA%9E.tar.zst")
        scene.take(.event(job, Scene.started("日本語🎉🎉 long name of a file.tar.zst", 1 << 40)))
        scene.take(.event(job, Scene.progress(1 << 39, of: 1 << 40)))
        for columns in 0...130 {
            for rows in 0...3 {
                scene.window = WindowSize(columns: columns, rows: rows)
                for line in lines(scene.output()) { #expect(TerminalText.width(line) <= max(0, columns - 1)) }
            }
        }
    }

    @Test func aForgottenFrameIsDrawnBelow() throws {
        var scene = Scene(TerminalReporter(style: plain, expected: 1))
        scene.take(.began(try Scene.job(1, "http://h/a")))
        let first = scene.output()
        #expect(scene.output().standardError.isEmpty)
        scene.reporter.forgetFrame()
        #expect(scene.output() == first)
    }
}
