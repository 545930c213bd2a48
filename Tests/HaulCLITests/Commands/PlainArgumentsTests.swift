import ArgumentParser
import HaulOptions
import HaulTestData
import Testing

@testable import HaulCLI

@Suite("Arguments that need no parser")
struct PlainArgumentsTests {
    private func parsed(_ arguments: [String]) throws -> DownloadArguments {
        try #require(try HaulCommand.parseAsRoot(["get"] + arguments) as? GetCommand).arguments
    }

    private static let settings = CommandSetting.all.filter { setting in
        setting.section != nil || OptionTable.named(setting.name)?.scope.contains(.get) == true
    }

    @Test(
        "Every option of haul get is read as the parser reads it, in each of its forms", arguments: settings.map(\.name)
    )
    func each(name: String) throws {
        let setting = try #require(CommandSetting.named(name))
        var forms =
            setting.shape.isTruth
            ? [["--\(name)"]] : [["--\(name)", "v"], ["--\(name)=v=w"], ["--\(name)", ""], ["--\(name)", "-"]]
        if let letter = setting.letter {
            forms += setting.shape.isTruth ? [["-\(letter)"]] : [["-\(letter)", "v"]]
            if setting.joinsLetter { forms.append(["-\(letter)16"]) }
        }
        for form in forms {
            let arguments = ["http://h/a"] + form + ["http://h/b"]
            let plain = PlainArguments.read(arguments)
            // The parser decides on options with two names.
            #expect((plain != nil) == (setting.shape != .toggle), "\(form)")
            if let plain { #expect(try plain == parsed(arguments), "\(form)") }
        }
    }

    @Test("Any mixture that is read is read as the parser reads it", arguments: 0..<8 as Range<UInt64>)
    func mixtures(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let values = ["1", "v", "-", "", "a=b", "http://h/c", "-x", "--", "--quiet", "2M", " "]
        var readings = 0
        for _ in 0..<25 {
            var arguments: [String] = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                guard let setting = Self.settings.randomElement(using: &generator) else { continue }
                let value = values.randomElement(using: &generator) ?? "1"
                switch Int.random(in: 0..<5, using: &generator) {
                case 0: arguments.append(value)
                case 1: arguments.append(setting.shape.isTruth ? "--\(setting.name)" : "--\(setting.name)=\(value)")
                case 2 where setting.letter != nil:
                    arguments += ["-\(setting.letter ?? "q")"] + (setting.shape.isTruth ? [] : [value])
                default: arguments += ["--\(setting.name)"] + (setting.shape.isTruth ? [] : [value])
                }
            }
            arguments = Array(CommandArguments.completed(["get"] + arguments).dropFirst())
            guard let plain = PlainArguments.read(arguments) else { continue }
            readings += 1
            #expect(try plain == parsed(arguments), "\(arguments)")
        }
        #expect(readings > 3)
    }

    @Test(
        "What needs the parser's rules or messages is left to it",
        arguments: [
            ["--help"], ["-h"], ["--version"], ["--config", "f"], ["--no-config"], ["--qiet"], ["-Z"], ["-qg"],
            ["-c=8"], ["-cx"], ["--quiet=true"],
            ["--output"], ["--retries", "-1"], ["--why"], ["--no-why"], ["-"], ["--output="],
        ])
    func others(arguments: [String]) { #expect(PlainArguments.read(arguments) == nil) }
}
