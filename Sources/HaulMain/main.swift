import HaulAria2Tool
import HaulCLI

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

let arguments = Array(CommandLine.arguments.dropFirst())
if Aria2Program.isName(CommandLine.arguments.first ?? "") {
    exit(await Aria2Program.run(arguments: arguments))
} else if arguments.first == "aria2c" {
    exit(await Aria2Program.run(arguments: Array(arguments.dropFirst())))
} else {
    exit(await HaulProgram.run(arguments: arguments))
}
