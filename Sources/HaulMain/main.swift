import HaulAria2Tool
import HaulCLI
import HaulLibC
import HaulServer

// The statically linked library of Swift looks for the arguments in front of the environment. They are not there if a preloaded library
// has moved that.
let words = CommandLine.arguments.isEmpty ? ProcessArguments.fromKernel : CommandLine.arguments
let arguments = Array(words.dropFirst())
// The daemon logs it.
if arguments.first != "daemon", let warning = AddressSpaceLimit.warning {
    OutputFile.standardError.write("haul: \(warning)\n")
}
if Aria2Program.isName(words.first ?? "") {
    exit(await Aria2Program.run(arguments: arguments))
} else if arguments.first == "aria2c" {
    exit(await Aria2Program.run(arguments: Array(arguments.dropFirst())))
} else {
    exit(await HaulProgram.run(arguments: arguments))
}
