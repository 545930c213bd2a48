/// Every scalar of the blocks where controls, marks, spaces, format characters, emoji and tags live.
///
/// The rest of Unicode is letters to the code under test, and trying all 1,112,064 takes a minute.
let tellingScalars: [Unicode.Scalar] = [
    0...0x33FF, 0xA600...0xABFF, 0xD700...0xE0FF, 0xF900...0x103FF, 0x11000...0x110FF, 0x13400...0x134FF,
    0x1BC00...0x1BCFF,
    0x1D100...0x1D1FF, 0x1F000...0x1FBFF, 0xE0000...0xE01FF, 0x10FF00...0x10FFFF,
].flatMap { (block: ClosedRange<UInt32>) in block.compactMap(Unicode.Scalar.init) }
