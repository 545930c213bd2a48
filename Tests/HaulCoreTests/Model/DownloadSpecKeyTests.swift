import HaulCore
import Testing

@Suite struct DownloadSpecKeyTests {
    @Test(arguments: [
        ("HTTP://User:pw@Host:80/a/../b#c", Destination.file(path: "/d/x y"), "http://host/b file:/d/x y"),
        ("https://h/?q", .folder(path: "/d"), "https://h/?q folder:/d"),
        ("https://h", .hashed(folder: ""), "https://h/ hashed:"), ("no url", .folder(path: "/"), "no url folder:/"),
    ])
    func theKeyIsURLAndDestination(_ url: String, _ destination: Destination, _ expected: String) {
        #expect(DownloadSpec(url: url, destination: destination).canonicalKey == expected)
    }

    @Test func rangesAndDestinationsTellApart() {
        let destinations: [Destination] = [
            .file(path: "/d"), .folder(path: "/d"), .hashed(folder: "/d"), .folder(path: " file:/d"), .file(path: ""),
        ]
        let ranges = [nil, ByteRange(0, 1), ByteRange(0, 11), ByteRange(1, 11)]
        let keys = destinations.flatMap { destination in
            ranges.map { range in
                var spec = DownloadSpec(url: "http://h/", destination: destination)
                spec.range = range
                return spec.canonicalKey
            }
        }
        #expect(Set(keys).count == destinations.count * ranges.count)
    }

    @Test func everythingElseLeavesTheKeyAlone() {
        var spec = DownloadSpec(url: "http://h/a", destination: .folder(path: "/d"))
        let key = spec.canonicalKey
        spec.headers = [.init(name: "Accept", value: "x")]
        spec.key = "mine"
        spec.tags = ["t"]
        spec.priority = 4
        spec.retries = 1
        #expect(spec.canonicalKey == key)
        #expect(spec.withoutSecrets().spec.canonicalKey == key)
    }
}
