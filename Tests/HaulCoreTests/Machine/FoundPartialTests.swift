import HaulTestData
import Testing

@testable import HaulCore

/// Whatever an earlier run left: a request is sent, or work on the file is asked for, or the download ends.
@Suite struct FoundPartialTests {
    private static let total: Int64 = 8 << 20

    private static let validators = [
        Validators(), Validators(etag: "\"v1\""), Validators(etag: "W/\"v1\""),
        Validators(lastModified: "Sat, 07 Nov 2026 10:00:00 GMT", dateIsStrong: true),
    ]

    /// The bytes of each stretch: none, the first ones, all, two stretches, and stretches that touch.
    private static let pieces: [[Located.Piece]] = {
        let middle = total / 2
        let stretches: [[(Int64, Int64)]] = [
            [], [(0, 0)], [(0, 1)], [(0, 100_000)], [(0, total)], [(0, 0), (middle, middle)],
            [(0, 100_000), (middle, middle + 1)], [(0, 0), (middle, middle + 70_000)],
            [(0, middle), (middle, total)], [(0, 1), (1, 1)],
        ]
        return stretches.map { $0.map { Located.Piece(start: $0.0, position: $0.1) } }
    }()

    private static func versions() throws -> [KnownVersion] {
        let describers: [Describer] = [
            .main, .mirror(try SourceURL(parsing: "http://other/file")), .formerURL, .unknown,
        ]
        return validators.flatMap { validators in
            [total, nil].flatMap { total in
                Provenance.allCases.flatMap { provenance in
                    describers.map { describer in
                        var version = KnownVersion(total: total, validators: validators)
                        (version.provenance, version.describer) = (provenance, describer)
                        return version
                    }
                }
            }
        }
    }

    /// The kinds of places in which bytes are found.
    private static let places: [@Sendable (KnownVersion, [Located.Piece]) -> Located] = [
        { .resumable(path: "/tmp/f", $0, $1) }, { .provable(path: "/tmp/f", $0, $1) },
        { .adoptable(path: "/tmp/f", file: "/tmp/g", $0, $1) },
    ]

    private func goesOn(_ driver: MachineDriver, after effects: [MachineEffect]) -> Bool {
        let asksForWork = effects.contains { if case .content = $0 { true } else { false } }
        return asksForWork || !driver.running.isEmpty || driver.machine.result != nil
    }

    @Test(arguments: [true, false], [true, false])
    func theDownloadGoesOn(hasMirror: Bool, hasChecksum: Bool) throws {
        let checksum = hasChecksum ? try Checksum(.md5, hex: String(repeating: "1", count: 32)) : nil
        for version in try Self.versions() {
            for pieces in Self.pieces {
                for (number, place) in Self.places.enumerated() {
                    var driver = try MachineDriver(connections: .fixed(2)) {
                        $0.mirrors = hasMirror ? [.init(url: "http://other/file")] : []
                        $0.checksum = checksum
                    }
                    driver.give(.begin)
                    var effects = driver.give(.located(place(version, pieces)))
                    #expect(goesOn(driver, after: effects), "place \(number), \(version), \(pieces)")
                    guard case .content(.resume)? = effects.last else { continue }
                    effects = driver.give(.reopened)
                    #expect(goesOn(driver, after: effects), "reopened: place \(number), \(version), \(pieces)")
                }
            }
        }
    }
}
