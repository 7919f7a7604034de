import TestSupport

/// Damages bytes in the ways that find faults. The seed is fixed, so a failure can be made again.
enum Mangling {
    static func mangled(_ good: [UInt8], _ random: inout SeededNumbers) -> [UInt8] {
        var bytes = good
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let position = Int.random(in: 0..<max(1, bytes.count), using: &random)
            guard position < bytes.count else { continue }
            switch Int.random(in: 0..<7, using: &random) {
            case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 1: bytes[position] = UInt8.random(in: 0...255, using: &random)
            case 2: bytes.remove(at: position)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: position)
            case 4: bytes.removeLast(min(bytes.count, Int.random(in: 1...64, using: &random)))
            case 5:
                let end = min(bytes.count, position + Int.random(in: 1...32, using: &random))
                bytes.insert(contentsOf: bytes[position..<end], at: position)
            default:
                bytes.swapAt(position, Int.random(in: 0..<bytes.count, using: &random))
            }
        }
        return bytes
    }
}
