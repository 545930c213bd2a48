import ArgumentParser
import HaulTesting

/// `haul demo`: shows a download that is killed halfway, resumed and verified, from a server of its own.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Show a download that is killed halfway, resumed and verified.",
        discussion: """
            Everything happens on this machine: the file comes from a server at 127.0.0.1
            that ends with the demonstration, and is saved in a temporary folder.
            """,
        shouldDisplay: false
    )

    func run() async throws {
        do {
            try await Demo.show()
        } catch let problem as Demo.Problem {
            var problems = InvalidOptions()
            problems.add(problem.description)
            throw problems
        }
    }
}
