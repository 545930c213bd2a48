import HaulAria2Tool
import HaulCLI
import HaulClient
import HaulLibC
import HaulServer

/// Says what prevents the program from running, and ends it.
private func refuse(_ text: String, _ code: ExitCode) -> Never {
    OutputFile.standardError.write("haul: \(text)\n")
    exit(code.rawValue)
}

StackLimit.raise()
StandardDescriptors.reserve()
let words: [String]
do {
    words = try ProcessArguments.words()
} catch {
    refuse(UsageMessage.undecodable(error.shown), .invalidRequest)
}
let arguments = Array(words.dropFirst())
let isAria2 = Aria2Program.isName(words.first ?? "")
if let problem = TaskLimit.problem() { refuse(problem, .tooManyFiles) }
// aria2c has an option for the limit, and an exit code of its own for its lack.
if !isAria2, arguments.first != "aria2c" {
    DescriptorLimit.raise()
    if let problem = DescriptorLimit.problem { refuse(problem, .tooManyFiles) }
}
// The daemon logs them.
if arguments.first != "daemon" {
    for warning in MemoryLimit.warnings { OutputFile.standardError.write("haul: \(warning)\n") }
}
DaemonClient.useOneThread()

// The main thread waits for the end of the process. With `await` here, it would end at the first pause instead (dispatch_main): the
// system's tools would show the process as defunct, and the end of the thread would load another library. The task is detached because
// any other one belongs to the main actor here, and would never run.
Task.detached { [isAria2, arguments] in
    if isAria2 {
        exit(await Aria2Program.run(arguments: arguments))
    } else if arguments.first == "aria2c" {
        exit(await Aria2Program.run(arguments: Array(arguments.dropFirst())))
    } else {
        exit(await HaulProgram.run(arguments: arguments))
    }
}
while true { pause() }
