import HaulDigest
import Testing

@Suite struct MessageAuthenticationTests {
    /// RFC 4231, test cases 2 and 6, of which the second has a key longer than a block; and nothing, as Python's hmac has it.
    @Test(arguments: [
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func knownCodes(key: [UInt8], message: String, expected: String) {
        let code = MessageAuthentication.hmacSHA256(of: Array(message.utf8), key: key)
        #expect(code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == expected)
    }
}
