import Foundation
import HaulCore
import Testing

@Suite("Mirrors and pieces in a spec")
struct DownloadSpecMirrorTests {
    static func spec(_ mirror: String) -> DownloadSpec {
        var spec = DownloadSpec(url: "http://h/f", destination: .file(path: "/f"))
        spec.mirrors = [.init(url: mirror, priority: 3, location: "de")]
        return spec
    }

    @Test("credentials in a mirror's URL are left out of what is stored, and said so")
    func secrets() {
        let spec = Self.spec("http://me:hunter1@m/f")
        let (stored, lacksSecrets) = spec.withoutSecrets()
        #expect(lacksSecrets)
        #expect(stored.mirrors.map(\.url) == ["http://m/f"])
        #expect(stored.stillLacksSecrets(of: stored))
        #expect(!spec.stillLacksSecrets(of: stored))
        #expect(!Self.spec("http://m/f").withoutSecrets().lacksSecrets)
    }

    @Test("encoded and decoded, nothing is lost; without mirrors nothing is written")
    func codable() throws {
        var spec = Self.spec("http://m/f")
        spec.pieces = try PieceHashes(length: 10, algorithm: .md5, hashes: [String(repeating: "A", count: 32)])
        spec.expectedBytes = 7
        spec.usesLinkedMirrors = false
        let again = try JSONDecoder().decode(DownloadSpec.self, from: try JSONEncoder().encode(spec))
        #expect(again == spec)
        #expect(again.pieces?.hashes == [String(repeating: "a", count: 32)])
        let plain = try JSONEncoder().encode(DownloadSpec(url: "http://h/f", destination: .file(path: "/f")))
        let text = String(decoding: plain, as: UTF8.self)
        for name in ["mirrors", "pieces", "expectedBytes", "usesLinkedMirrors"] { #expect(!text.contains(name)) }
    }

    @Test("stored pieces that make no sense are refused, not believed")
    func refused() {
        for text in [
            #"{"length":0,"algorithm":"md5","hashes":["aa"]}"#, #"{"length":1,"algorithm":"md5","hashes":[]}"#,
        ] {
            #expect(throws: (any Error).self) { try JSONDecoder().decode(PieceHashes.self, from: Data(text.utf8)) }
        }
    }

    @Test("a mirror that is no URL is refused before anything is asked")
    func noURL() {
        let error = #expect(throws: DownloadError.self) { try MachineConfiguration(Self.spec("nonsense")) }
        #expect(error?.code == .invalidRequest)
    }
}
