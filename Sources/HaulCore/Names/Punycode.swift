/// Punycode, RFC 3492: Unicode in letters, digits and hyphens.
enum Punycode {
    private static let base = 36
    private static let minimum = 1
    private static let maximum = 26

    /// Returns the encoded form, without a prefix; nil if it is longer than a label of DNS can be.
    static func encode(_ scalars: some Collection<Unicode.Scalar>) -> [UInt8]? {
        guard scalars.count <= 63 else { return nil }
        var output = scalars.filter(\.isASCII).map { UInt8(truncatingIfNeeded: $0.value) }
        let basic = output.count
        if basic > 0 { output.append(UInt8(ascii: "-")) }
        var (next, delta, bias, handled) = (128, 0, 72, basic)
        // Section 6.3: the code points in their order, each as the distance from the place of the one before it. With at most 63 of them
        // of 21 bits each, no sum comes near the limits of Int.
        while handled < scalars.count {
            let smallest = scalars.lazy.map { Int($0.value) }.filter { $0 >= next }.min() ?? next
            delta += (smallest - next) * (handled + 1)
            next = smallest
            for scalar in scalars {
                let value = Int(scalar.value)
                if value < next { delta += 1 }
                guard value == next else { continue }
                append(delta, bias: bias, to: &output)
                bias = adapted(delta, count: handled + 1, isFirst: handled == basic)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return output.count <= 59 ? output : nil
    }

    /// Writes a number with digits of growing weight.
    private static func append(_ number: Int, bias: Int, to output: inout [UInt8]) {
        var (rest, position) = (number, base)
        while true {
            let threshold = min(max(position - bias, minimum), maximum)
            guard rest >= threshold else { break }
            output.append(digit(threshold + (rest - threshold) % (base - threshold)))
            rest = (rest - threshold) / (base - threshold)
            position += base
        }
        output.append(digit(rest))
    }

    private static func digit(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? Int(UInt8(ascii: "a")) + value : Int(UInt8(ascii: "0")) + value - 26)
    }

    /// Section 6.1.
    private static func adapted(_ number: Int, count: Int, isFirst: Bool) -> Int {
        var (delta, bias) = (isFirst ? number / 700 : number / 2, 0)
        delta += delta / count
        while delta > (base - minimum) * maximum / 2 {
            delta /= base - minimum
            bias += base
        }
        return bias + (base - minimum + 1) * delta / (delta + 38)
    }
}
