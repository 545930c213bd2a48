import HaulCore
import Testing

@testable import HaulCLI

@Suite struct ExitCodeTests {
    @Test func eachKindOfFailureHasANumberOfItsOwn() {
        let codes = DownloadError.Code.allCases.map { ExitCode($0) }
        #expect(Set(codes).count == DownloadError.Code.allCases.count)
        #expect(!codes.contains(.complete))
        #expect(!codes.contains(.mixed))
    }

    @Test(
        arguments: [
            (DownloadError.Code.invalidRequest, 2), (.notFound, 3), (.nameNotResolved, 4), (.connectionFailed, 5),
            (.timedOut, 6), (.tlsFailed, 7), (.notAuthorized, 8), (.linkExpired, 9), (.serverBusy, 10),
            (.unexpectedStatus, 11), (.redirectRefused, 12), (.badResponse, 13), (.contentEncoded, 14),
            (.sourceChanged, 15), (.checksumMismatch, 16), (.noSpace, 17), (.fileFailed, 18), (.destinationExists, 19),
            (.destinationBusy, 20), (.internal, 70), (.cancelled, 130),
        ] as [(DownloadError.Code, Int32)])
    func numbersArePromised(code: DownloadError.Code, number: Int32) {
        #expect(ExitCode(code).rawValue == number)
    }

    @Test func stopsHaveTheNumbersOfShells() {
        #expect(StopReason.allCases.map(\.exitCode.rawValue) == [130, 143, 129, 141])
    }

    @Test func theTableListsEveryNumberOnce() {
        let lines = ExitCode.table.split(separator: "\n")
        let numbers = lines.compactMap { $0.split(separator: " ").first.flatMap { Int32($0) } }
        #expect(numbers == ExitCode.allCases.map(\.rawValue))
        #expect(lines.allSatisfy { $0.count < 79 })
    }
}
