import ArgumentParser
import HaulTesting
import Testing

@testable import HaulCLI

@Suite struct WhyCommandTests {
    @Test func aRecordIsExplained() async throws {
        let folder = try TemporaryFolder()
        let place = WhyFolder(path: folder.path + "/why")
        place.write(WhySample.get([]))
        let name = try #require(place.names().first)
        #expect(await HaulProgram.run(arguments: ["why", "\(place.path)/\(name)"]) == 0)
        #expect(await HaulProgram.run(arguments: ["why", "--json", "\(place.path)/\(name)"]) == 0)
    }

    @Test(arguments: [["why", "/no/such/record"], ["why", "--foo"], ["why", "."], ["why", "1", "2"]])
    func wrongUseEndsWithTwo(arguments: [String]) async {
        #expect(await HaulProgram.run(arguments: arguments) == 2)
    }

    @Test(arguments: [([], false, true), (["--why"], true, true), (["--no-why"], false, false)])
    func whyIsToldAndKeptAsAsked(options: [String], reports: Bool, keeps: Bool) throws {
        let command = try #require(try HaulCommand.parseAsRoot(["get", "http://h/a"] + options) as? GetCommand)
        let plan = try GetPlan(command.arguments)
        #expect(plan.printsWhy == reports && plan.keepsRecord == keeps)
    }
}
