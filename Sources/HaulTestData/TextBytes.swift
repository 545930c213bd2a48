extension String {
    /// The bytes of the text, one for each scalar.
    package var latin1: [UInt8] { unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

    /// The text in which each scalar is one byte of this text's UTF-8.
    package var utf8Bytes: String {
        var result = String.UnicodeScalarView()
        for byte in utf8 { result.append(Unicode.Scalar(byte)) }
        return String(result)
    }
}
