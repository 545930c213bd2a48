import ArgumentParser
import HaulCore
import HaulWire
import Testing

@testable import HaulCLI

@Suite("Options that change something")
struct SettingPlanTests {
    private func change(_ arguments: [String]) throws -> SetPlan.Change {
        try SetPlan(SetCommand.parse(arguments)).change
    }

    @Test func downloadsOrSettings() throws {
        #expect(try change([]) == .settings(nil))
        #expect(try change(["3", "--priority", "-5"]) == .downloads(ChangeRequest(priority: -5), nil))
        #expect(try change(["--all", "--limit-rate", "1K"]) == .downloads(ChangeRequest(rateLimit: 1024), nil))
        #expect(try change(["3", "--limit-rate", "none"]) == .downloads(ChangeRequest(rateLimit: 0), nil))
        var source = SourceRequest()
        (source.url, source.headers) = ("http://h/b", [DownloadSpec.Header(name: "A", value: "b")])
        #expect(try change(["3", "--url", "http://h/b", "-H", "A: b"]) == .downloads(ChangeRequest(), source))
        var patch = SettingsPatch()
        (patch.jobs, patch.jobsPerHost, patch.order) = (
            .some(5), SettingsPatch.Change<Int>.none, .lifo
        )
        #expect(try change(["--jobs", "5", "--jobs-per-host", "none", "--order", "lifo"]) == .settings(patch))
    }

    @Test(arguments: [
        ["--priority", "5"], ["3"], ["3", "--jobs", "5"], ["3", "4", "--url", "http://h/"],
        ["3", "--priority", "1001"],
        ["3", "--priority", "x"], ["--jobs", "x"], ["--jobs-per-host", "0"], ["--order", "x"],
        ["3", "--limit-rate", "0"],
        ["--all", "--url", "http://h/"], ["3", "-H", "no header"],
    ])
    func refused(_ arguments: [String]) { #expect(throws: InvalidOptions.self) { try change(arguments) } }

    @Test func whatCouldNotBeReadIsNotMissing() throws {
        let problems = #expect(throws: InvalidOptions.self) { try change(["3", "--priority", "1001"]) }
        #expect(problems?.messages.count == 1)
    }

    @Test func rates() throws {
        var patch = SettingsPatch()
        (patch.rateLimit, patch.rateSchedule) = (.some(2048), SettingsPatch.Change<String>.none)
        #expect(try SettingsPatch(rate: "2K") == patch)
        patch.rateLimit = SettingsPatch.Change<Int64>.none
        #expect(try SettingsPatch(rate: "none") == patch)
        patch.rateSchedule = .some("22:00-06:00 unlimited, else 2K")
        #expect(try SettingsPatch(rate: "22:00-6:00 unlimited, else 2K") == patch)
        #expect(throws: DownloadError.self) { try SettingsPatch(rate: "fast") }
    }

    @Test func placesInTheList() throws {
        #expect(try MoveCommand.index("top") == 0)
        #expect(try MoveCommand.index("1") == 0)
        #expect(try MoveCommand.index("17") == 16)
        #expect(try MoveCommand.index("bottom") > 1_000_000_000)
        for text in ["0", "-1", "end", "", "99999999999"] {
            #expect(throws: DownloadError.self) { try MoveCommand.index(text) }
        }
    }
}
