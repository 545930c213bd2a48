import Testing

@testable import HaulCLI

@Suite struct FrameTests {
    private let window = WindowSize(columns: 20, rows: 10)

    @Test func theFirstFrameIsLinesWithClearedEnds() {
        var frame = Frame()
        #expect(frame.draw(["a", "b"], above: [], window: window) == "\r\u{1B}[Ja\u{1B}[K\nb\u{1B}[K\n")
    }

    @Test func theSameFrameWritesNothing() {
        var frame = Frame()
        _ = frame.draw(["a"], above: [], window: window)
        #expect(frame.draw(["a"], above: [], window: window).isEmpty)
        #expect(Frame().lines(of: [], window: window).isEmpty)
    }

    @Test func aNewFrameGoesUpAndClearsNothingButLineEnds() {
        var frame = Frame()
        _ = frame.draw(["a", "b"], above: [], window: window)
        #expect(frame.draw(["c", "d"], above: [], window: window) == "\r\u{1B}[2Ac\u{1B}[K\nd\u{1B}[K\n")
        #expect(frame.draw(["e"], above: [], window: window) == "\r\u{1B}[2Ae\u{1B}[K\n\u{1B}[J")
        #expect(frame.draw([], above: [], window: window) == "\r\u{1B}[1A\u{1B}[J")
    }

    @Test func permanentLinesGoAbove() {
        var frame = Frame()
        _ = frame.draw(["a"], above: [], window: window)
        #expect(frame.draw(["a"], above: ["done"], window: window) == "\r\u{1B}[1A\u{1B}[Jdone\na\u{1B}[K\n")
    }

    @Test(arguments: [(20, 2), (19, 2), (10, 3), (9, 4), (5, 5), (40, 2)])
    func aNarrowerWindowHasWrappedTheOldLines(columns: Int, rows: Int) {
        var frame = Frame()
        _ = frame.draw(
            ["\u{1B}[36m" + String(repeating: "x", count: 19) + "\u{1B}[0m", "y"], above: [], window: window)
        let text = frame.draw(["z"], above: [], window: WindowSize(columns: columns, rows: 10))
        #expect(text.hasPrefix("\r\u{1B}[\(columns == 10 ? 3 : rows)A"))
    }
}

extension Frame {
    fileprivate func lines(of new: [String], window: WindowSize) -> String {
        var copy = self
        return copy.draw(new, above: [], window: window)
    }
}
