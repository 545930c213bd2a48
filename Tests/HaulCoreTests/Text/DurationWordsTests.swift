import HaulCore
import Testing

@Test(
    "times in words",
    arguments: [
        (.zero, "0 s"), (.milliseconds(500), "0.5 s"), (.seconds(60), "60 s"), (.seconds(90), "90 s (1 min 30 s)"),
        (.seconds(3600), "3600 s (1 h)"), (.seconds(90_061), "90061 s (1 d 1 h 1 min 1 s)"), (.seconds(-5), "0 s"),
    ] as [(Duration, String)])
func durationInWords(duration: Duration, words: String) {
    #expect(duration.inWords == words)
}
