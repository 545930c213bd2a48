import HaulCore
import HaulOptions
import Logging
import Testing

@testable import HaulCLI

@Suite struct OtherArgumentTests {
    @Test(arguments: ConflictPolicy.allCases) func policiesAreRead(policy: ConflictPolicy) throws {
        #expect(try ChoiceArgument.parse(policy.rawValue, as: ConflictPolicy.self) == policy)
    }

    @Test func choicesAreNamed() {
        let error = #expect(throws: DownloadError.self) { try ChoiceArgument.parse("Fail", as: ConflictPolicy.self) }
        #expect(error?.message == "invalid value \"Fail\": expected one of fail, replace, rename, keep, skip")
    }

    @Test func ratesAreRead() throws {
        #expect(try RateArgument(parsing: "2M").bytesPerSecond == 2 << 20)
        #expect(throws: DownloadError.self) { try RateArgument(parsing: "0") }
        #expect(throws: DownloadError.self) { try RateArgument(parsing: "fast") }
    }

    @Test(arguments: [
        (nil, ".", Destination.folder(path: ".")), (nil, "/a/", .folder(path: "/a/")), ("f", ".", .file(path: "f")),
        ("f", "d", .file(path: "d/f")), ("f", "d/", .file(path: "d/f")), ("/f", "d", .file(path: "/f")),
        ("./-", ".", .file(path: "./-")), ("a/b", "d", .file(path: "d/a/b")),
    ])
    func destinationsAreJoined(output: String?, directory: String, expected: Destination) throws {
        #expect(try DestinationArgument.parse(output: output, directory: directory) == expected)
    }

    @Test(arguments: [("", "."), ("-", "d"), ("a/", "."), ("f", "")])
    func badDestinationsAreRefused(output: String, directory: String) {
        let error = #expect(throws: DownloadError.self) {
            try DestinationArgument.parse(output: output, directory: directory)
        }
        #expect(error?.code == .invalidRequest)
    }
}
