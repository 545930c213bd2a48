import HaulCore
import Testing

@Suite("Absolute paths of a spec")
struct AbsoluteSpecTests {
    private static func spec(_ destination: Destination) -> DownloadSpec {
        DownloadSpec(url: "http://h/a", destination: destination)
    }

    @Test(
        "a relative destination is resolved against the folder",
        arguments: [
            (Destination.file(path: "a"), Destination.file(path: "/here/a")),
            (.file(path: "./x/a"), .file(path: "/here/x/a")), (.file(path: ".//a"), .file(path: "/here/a")),
            (.file(path: "../a"), .file(path: "/here/../a")), (.file(path: "/x/a"), .file(path: "/x/a")),
            (.file(path: ""), .file(path: "")), (.folder(path: "x"), .folder(path: "/here/x")),
            (.folder(path: "."), .folder(path: "/here")), (.folder(path: "./"), .folder(path: "/here")),
            (.folder(path: ""), .folder(path: "/here")), (.hashed(folder: "x"), .hashed(folder: "/here/x")),
            (.hashed(folder: ""), .hashed(folder: "/here")), (.folder(path: ".x"), .folder(path: "/here/.x")),
        ])
    func destination(_ given: Destination, _ expected: Destination) throws {
        #expect(try Self.spec(given).absolute(in: "/here").destination == expected)
    }

    @Test("so are the folder for partial files and the files that it reads")
    func otherPaths() throws {
        var spec = Self.spec(.file(path: "/a"))
        (spec.partialFolder, spec.netrcPath, spec.cookiePath) = ("p", "n", "/c")
        (spec.clientCertificatePath, spec.clientKeyPath) = ("x", nil)
        (spec.password, spec.bearerToken) = (.file(path: "w"), .text("t"))
        var expected = spec
        (expected.partialFolder, expected.netrcPath, expected.cookiePath) = ("/p", "/n", "/c")
        (expected.clientCertificatePath, expected.password) = ("/x", .file(path: "/w"))
        #expect(try spec.absolute(in: "/") == expected)
        #expect(try expected.absolute(in: nil) == expected)
    }

    @Test("a relative path without a working folder is an error")
    func noFolder() {
        #expect(throws: DownloadError.self) { try Self.spec(.folder(path: "x")).absolute(in: nil) }
    }
}
