import Testing

@testable import HaulTesting

struct ServerDateTests {
    @Test(
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"), (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] as [(Int64, String)])
    func writesTheFixedForm(_ seconds: Int64, _ text: String) {
        #expect(ServerDate.text(seconds) == text)
    }

    @Test func writesTheOldForms() {
        #expect(ServerDate.text(784_111_777, .rfc850) == "Sunday, 06-Nov-94 08:49:37 GMT")
        #expect(ServerDate.text(784_111_777, .asctime) == "Sun Nov  6 08:49:37 1994")
    }
}
