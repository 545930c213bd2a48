import Foundation
import HaulCore
import Testing

@testable import HaulStore

/// The guarantee "secrets stay home", looked for in the bytes of all files.
@Suite struct SecretsStayHomeTests {
    @Test func noFileHoldsASecret() throws {
        let shelf = try Shelf()
        let catalogue = try shelf.open()
        let id = try catalogue.add([Self.secret("one")])[0]
        let other = try catalogue.add([DownloadSpec(url: "http://me:S3CRET@[bad/", destination: .folder(path: "/d"))])[
            0]
        try catalogue.apply([RecordChange(id, .spec(Self.secret("two")))], events: [])
        try expectNoSecret(shelf)
        #expect(try #require(try catalogue.record(other)).lacksSecrets)
        let record = try #require(try catalogue.record(id))
        #expect(record.lacksSecrets)
        #expect(record.spec.url == "https://host/two?q=1")
        #expect(record.spec.headers.map(\.name) == ["Authorization", "X-Api-Key", "Accept", "Referer", "cookie"])
        #expect(record.spec.headers.map(\.value) == ["", "", "text/*", "", ""])
        #expect(record.spec.password == .missing && record.spec.bearerToken == .missing)
        #expect(record.spec.user == "me" && record.spec.netrcPath == "/home/me/.netrc")
        catalogue.close()
        try expectNoSecret(shelf)
    }

    @Test func whatIsGivenAgainInPartIsStillMissing() throws {
        let catalogue = try Catalogue.open(.inMemory)
        let id = try catalogue.add([Self.secret("one")])[0]
        var spec = try #require(try catalogue.record(id)).spec
        func lacks(_ spec: DownloadSpec) throws -> Bool? {
            try catalogue.apply([RecordChange(id, .spec(spec))], events: [])
            return try catalogue.record(id)?.lacksSecrets
        }
        spec.priority = 3
        #expect(try lacks(spec) == true)
        spec.url = "https://host/new"
        #expect(try lacks(spec) == true)
        spec.headers = [.init(name: "Accept", value: "a/b")]
        #expect(try lacks(spec) == true)
        spec.password = .text("S3CRET")
        spec.bearerToken = nil
        // The new password is not stored either.
        #expect(try lacks(spec) == true)
        spec = try #require(try catalogue.record(id)).spec
        spec.password = .file(path: "/home/me/password")
        #expect(try lacks(spec) == true, "the body is missing")
        spec.body = nil
        #expect(try lacks(spec) == false)
    }

    private func expectNoSecret(_ shelf: Shelf) throws {
        for name in try shelf.names {
            let bytes = try shelf.read(name)
            #expect(bytes.range(of: Data("S3CRET".utf8)) == nil, "\(name)")
        }
        // The search does find what is there.
        #expect(try shelf.names.contains { try shelf.read($0).range(of: Data("X-Api-Key".utf8)) != nil })
    }

    private static func secret(_ path: String) -> DownloadSpec {
        var spec = DownloadSpec(url: "https://me:S3CRET@host/\(path)?q=1", destination: .folder(path: "/d"))
        spec.headers = [
            .init(name: "Authorization", value: "Bearer S3CRET"), .init(name: "X-Api-Key", value: "S3CRET"),
            .init(name: "Accept", value: "text/*"), .init(name: "Referer", value: "http://u:S3CRET@h/"),
            .init(name: "cookie", value: "id=S3CRET"),
        ]
        spec.body = DownloadSpec.RequestBody("S3CRET")
        spec.user = "me"
        spec.password = .text("S3CRET")
        spec.bearerToken = .text("S3CRET")
        spec.netrcPath = "/home/me/.netrc"
        return spec
    }
}
