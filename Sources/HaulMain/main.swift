import HaulAria2Tool
import HaulCLI
import HaulLibC
import HaulServer

/// Says what prevents the program from running, and ends it.
private func refuse(_ text: String, _ code: ExitCode) -> Never {
    OutputFile.standardError.write("haul: \(text)\n")
    exit(code.rawValue)
}

let words: [String]
do {
    words = try ProcessArguments.words()
} catch {
    refuse(UsageMessage.undecodable(error.shown), .invalidRequest)
}
let arguments = Array(words.dropFirst())
let asksOnly = arguments.isEmpty || arguments.contains { ["--version", "--help", "-h", "help"].contains($0) }
if !asksOnly, let problem = TaskLimit.problem { refuse(problem, .tooManyFiles) }
// The daemon logs it.
if arguments.first != "daemon", let warning = AddressSpaceLimit.warning {
    OutputFile.standardError.write("haul: \(warning)\n")
}

// The main thread waits. With `await` here, it would end at the first pause (dispatch_main): the system's tools would show the process
// as defunct, and its end would load another library.
Task.detached { [words, arguments] in
    if Aria2Program.isName(words.first ?? "") {
        exit(await Aria2Program.run(arguments: arguments))
    } else if arguments.first == "aria2c" {
        exit(await Aria2Program.run(arguments: Array(arguments.dropFirst())))
    } else {
        exit(await HaulProgram.run(arguments: arguments))
    }
}
while true { pause() }
