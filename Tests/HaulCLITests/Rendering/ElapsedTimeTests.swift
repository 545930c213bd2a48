import HaulCLI
import Testing

@Suite struct ElapsedTimeTests {
    @Test(arguments: [
        (0, "0.0 s"), (0.000_01, "1 ms"), (0.116, "116 ms"), (0.9994, "999 ms"), (0.9996, "1.0 s"), (5.26, "5.3 s"),
        (59.94, "59.9 s"), (59.96, "1m00s"), (3600, "1h00m"), (-1, "--"), (.nan, "--"), (.infinity, "--"),
    ])
    func twoDigitsAreEnough(seconds: Double, text: String) {
        #expect(ElapsedTime.string(seconds) == text)
    }
}
