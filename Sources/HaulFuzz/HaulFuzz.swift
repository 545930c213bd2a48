import HaulFuzzing
import HaulLibC

/// The target that HAUL_FUZZ_TARGET names; without a right one, the list of them, and the end.
private let target: FuzzTarget = {
    // Unsafe: the environment does not change while it is read, and the text is copied at once.
    let name = unsafe getenv("HAUL_FUZZ_TARGET").map { unsafe String(cString: $0) }
    guard let found = FuzzTarget.all.first(where: { $0.name == name }) else {
        print(FuzzTarget.all.map(\.name).joined(separator: "\n"))
        exit(name == nil ? 0 : 2)
    }
    return found
}()

/// Tries one input, as libFuzzer asks for; a finding ends the process, so that the input is kept.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOne(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // Unsafe: libFuzzer lends the bytes for the length of the call; they are copied at once.
    let bytes = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    do throws(FuzzFinding) {
        try target.check(bytes)
    } catch {
        fatalError("\(target.name): \(error)")
    }
    return 0
}

// Unsafe: declared as libFuzzer's FuzzerInterface.h has it; only plain C types cross.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The beginning of the program, under the name that SwiftPM gives it.
@_cdecl("HaulFuzz_main")
public func fuzzMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    _ = target
    var count = count
    var arguments = unsafe arguments
    // Unsafe: libFuzzer may replace both, which live as long as the process.
    return unsafe runDriver(&count, &arguments) { unsafe fuzzOne($0, $1) }
}
