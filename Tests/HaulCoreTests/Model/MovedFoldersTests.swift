import HaulCore
import Testing

@Suite("Folders that have moved")
struct MovedFoldersTests {
    private let moved = MovedFolders([
        .init(from: "/app/1", to: "/app/2"), .init(from: "/app/1/cache", to: "/elsewhere"),
        .init(from: "/app/1/fixed", to: "/app/1/fixed"), .init(from: "/swap/a", to: "/swap/b"),
        .init(from: "/swap/b", to: "/swap/a"),
    ])

    @Test(
        "a path belongs to the innermost folder, by whole components",
        arguments: [
            ("/app/1/x", "/app/2/x"), ("/app/1", "/app/2"), ("/app/12/x", "/app/12/x"),
            ("/app/1/cache/x", "/elsewhere/x"), ("/app/1/cached", "/app/2/cached"),
            ("/app/1/fixed/x", "/app/1/fixed/x"), ("/swap/a/x", "/swap/b/x"), ("/swap/b/x", "/swap/a/x"),
            ("/other", "/other"), ("relative", "relative"), ("", ""), ("/app/1/e\u{301}", "/app/2/e\u{301}"),
        ])
    func path(_ old: String, _ new: String) {
        #expect(moved.path(old) == new)
    }

    @Test("every path of a spec is replaced, and nothing else")
    func spec() {
        var spec = DownloadSpec(url: "https://example.org/app/1/x", destination: .folder(path: "/app/1/a"))
        spec.partialFolder = "/app/1/cache"
        spec.netrcPath = "/app/1/netrc"
        spec.cookiePath = "/app/1/cookies"
        spec.clientCertificatePath = "/app/1/certificate"
        spec.clientKeyPath = "/other/key"
        spec.password = .file(path: "/app/1/password")
        spec.bearerToken = .text("/app/1/x")
        var new = spec
        new.destination = .folder(path: "/app/2/a")
        new.partialFolder = "/elsewhere"
        new.netrcPath = "/app/2/netrc"
        new.cookiePath = "/app/2/cookies"
        new.clientCertificatePath = "/app/2/certificate"
        new.password = .file(path: "/app/2/password")
        #expect(moved.spec(spec) == new)
    }

    @Test("without a folder that has moved, it is empty")
    func empty() {
        #expect(MovedFolders([.init(from: "/a", to: "/a")]).isEmpty)
        #expect(MovedFolders([]).isEmpty)
        #expect(!moved.isEmpty)
    }

    @Test("the earlier paths of a file")
    func earlier() {
        #expect(moved.earlierPaths(of: "/app/2/x") == ["/app/1/x"])
        #expect(moved.earlierPaths(of: "/elsewhere/x") == ["/app/1/cache/x"])
        #expect(moved.earlierPaths(of: "/other/x") == [])
    }
}
