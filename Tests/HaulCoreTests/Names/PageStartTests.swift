import Testing

@testable import HaulCore

@Suite("The first bytes of web pages")
struct PageStartTests {
    @Test(arguments: [
        "<!DOCTYPE html>", "<!doctype HTML PUBLIC", "\r\n  <html>", "\u{FEFF}<html lang=de>", "<head>",
        "<Title>Log in</Title>",
    ])
    func page(text: String) { #expect(PageStart.isFound(in: Array(text.utf8))) }

    @Test(arguments: [
        "", "<", "<htmlx>", "<header>", "<?xml version=\"1.0\"?><html>", "<plist>", "<svg>", "PK\u{3}\u{4}",
        "{\"a\": \"<html>\"}",
    ])
    func other(text: String) { #expect(!PageStart.isFound(in: Array(text.utf8))) }

    @Test("bytes that are no text are survived")
    func bytes() { #expect(!PageStart.isFound(in: [UInt8](repeating: 0xFF, count: 600))) }
}
