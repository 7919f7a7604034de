// What a stranger may send, under libFuzzer: built by `deploy/fuzz` alone, with coverage and
// address checks in every module below.
//
//   corpus/TARGET/* ── mutated ──> Target.run ── trap, bad access, wrong belief ──> artifact

import Foundation

@main enum Fuzzer {
    /// The target of this process, made before the first input.
    nonisolated(unsafe) fileprivate static var target: (any Target)?

    static func main() {
        var arguments = CommandLine.arguments
        if let status = begin(Array(arguments.dropFirst())) { exit(status) }
        // libFuzzer reads the rest, as if the name had not been there.
        arguments.remove(at: 1)
        exit(drive(arguments))
    }

    private static func drive(_ arguments: [String]) -> Int32 {
        var texts: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe texts.append(nil)
        return unsafe texts.withUnsafeMutableBufferPointer { buffer in
            var count = Int32(arguments.count)
            var start = buffer.baseAddress
            return unsafe runDriver(&count, &start) { unsafe testOneInput($0, $1) }
        }
    }

    /// Takes the target's name, the first argument; nil once there is something to feed it.
    private static func begin(_ arguments: [String]) -> Int32? {
        let name = arguments.first ?? ""
        guard let make = targets[name] else {
            let names = targets.keys.sorted().joined(separator: " ")
            say("fuzz: no target \"\(name)\"; there are: \(names)")
            return 64
        }
        do {
            let made = try make()
            if arguments.count == 3, arguments[1] == "--seeds" {
                try made.seeds.write(to: arguments[2])
                return 0
            }
            unsafe target = made
            return nil
        } catch {
            say("fuzz: \(name) cannot begin: \(error)")
            return 1
        }
    }

    private static func say(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }

    /// Ends the process in the way that libFuzzer takes for a find.
    static func found(_ what: String) -> Never {
        say("fuzz: \(what)")
        abort()
    }
}

/// libFuzzer as a library; the toolchain brings no header of it for Swift.
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ start: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// Under the name that libFuzzer's own `main` would call: it is linked, though ours is used.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    unsafe Fuzzer.target?.run(Array(UnsafeBufferPointer(start: data, count: size)))
    return 0
}
