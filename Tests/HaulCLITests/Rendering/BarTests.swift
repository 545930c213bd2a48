import HaulCore
import Testing

@testable import HaulCLI

@Suite struct BarTests {
    private static let styles = [Style(unicode: true, colour: false), Style(unicode: false, colour: false)]

    @Test(arguments: [(0.0, "────"), (0.5, "██──"), (1.0, "████"), (0.53125, "██▏─"), (0.97, "███▉"), (.nan, "────")])
    func eighthsAreDrawn(fraction: Double, expected: String) {
        #expect(Bar.filled(fraction, width: 4, style: Self.styles[0]) == expected)
    }

    @Test func asciiIsTheFallback() {
        #expect(Bar.filled(0.5, width: 4, style: Self.styles[1]) == "##--")
        #expect(Bar.moving(step: 2, width: 5, style: Self.styles[1]) == "--#--")
    }

    @Test(arguments: styles, 0...40) func everyBarIsAsWideAsAsked(style: Style, width: Int) {
        for part in [-1, 0, 0.001, 0.3, 0.5, 0.999, 1, 2, .infinity] {
            #expect(TerminalText.width(Bar.filled(part, width: width, style: style)) == width)
        }
        for step in -2...90 {
            #expect(TerminalText.width(Bar.moving(step: step, width: width, style: style)) == width)
        }
    }

    @Test func theBlockWandersToAndFro() {
        let bars = (0...8).map { Bar.moving(step: $0, width: 5, style: Self.styles[1]) }
        #expect(bars[0] == "#----" && bars[4] == "----#" && bars[7] == "-#---" && bars[8] == bars[0])
    }

    @Test func colourIsRestrained() {
        #expect(
            Bar.filled(0.5, width: 2, style: Style(unicode: false, colour: true))
                == "\u{1B}[36m#\u{1B}[0m\u{1B}[2m-\u{1B}[0m")
    }

    @Test(arguments: [
        (0.0, "0 %"), (0.4399, "43 %"), (0.99999, "99 %"), (1, "100 %"), (3, "100 %"), (-1, "0 %"), (.nan, ""),
    ])
    func percentIsRoundedDown(fraction: Double, expected: String) {
        #expect(PercentText.text(fraction) == expected)
    }
}
