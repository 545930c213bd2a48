import ArgumentParser
import HaulCore
import HaulOptions

/// A part of the options for one command.
protocol OptionSection: Sendable {
    /// Its options.
    static var options: [CommandSetting] { get }
}

enum SourceSection: OptionSection { static let options = CommandSetting.rows(.source) }
enum TransferSection: OptionSection { static let options = CommandSetting.rows(.transfer) }
enum CredentialSection: OptionSection { static let options = CommandSetting.rows(.credentials) }
enum NetworkSection: OptionSection { static let options = CommandSetting.rows(.network) }
enum OutputSection: OptionSection { static let options = CommandSetting.rows(.output) }
enum GetFiles: OptionSection { static let options = CommandSetting.rows(.files, .get) }
enum GetTransfer: OptionSection { static let options = CommandSetting.rows(.transfer, .get) }
enum GetAccess: OptionSection { static let options = CommandSetting.rows(.access, .get) }
enum AddFiles: OptionSection { static let options = CommandSetting.rows(.files, .add) }
enum AddTransfer: OptionSection { static let options = CommandSetting.rows(.transfer, .add) }
enum AddAccess: OptionSection { static let options = CommandSetting.rows(.access, .add) }
enum AddQueue: OptionSection { static let options = CommandSetting.rows(.queue, .add) }
enum VerifyFiles: OptionSection { static let options = CommandSetting.rows(.files, .verify) }
enum VerifyAccess: OptionSection { static let options = CommandSetting.rows(.access, .verify) }

/// The options of a section as the argument parser takes them.
///
/// The parser finds the options of a type by its mirror and reads their values with `Decodable`; both are made of the
/// table here, so that no option needs a property of its own.
struct TableOptions<Section: OptionSection>: ParsableArguments {
    /// The values that were given, in the order of the table.
    private(set) var values: [String: [String]] = [:]

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        for option in Section.options {
            let key = FieldName(stringValue: option.name)
            let texts: [String] =
                switch option.shape {
                case .flag: try container.decode(Flag<Bool>.self, forKey: key).wrappedValue ? ["true"] : []
                case .toggle:
                    try [container.decode(Flag<Bool?>.self, forKey: key).wrappedValue.map(String.init)].compactMap(
                        \.self)
                case .value where option.isUnique:
                    try container.decode(Option<[String]>.self, forKey: key).wrappedValue
                case .value: try [container.decode(Option<String?>.self, forKey: key).wrappedValue].compactMap(\.self)
                case .values: try container.decode(Option<[String]>.self, forKey: key).wrappedValue
                }
            if !texts.isEmpty { values[option.name] = texts }
        }
    }
}

extension TableOptions: CustomReflectable {
    var customMirror: Mirror {
        Mirror(self, children: Section.options.map { (label: "_\($0.name)", value: $0.definition) })
    }
}

extension CommandSetting {
    /// The option as the argument parser declares it.
    fileprivate var definition: Any {
        let letters: [NameSpecification.Element] =
            letter.map { [.customShort($0, allowingJoined: joinsLetter)] } ?? []
        let names = NameSpecification(letters + [.customLong(name)])
        switch shape {
        case .flag: return Flag(wrappedValue: false, name: names, help: ArgumentHelp(stringLiteral: help))
        case .toggle: return Flag<Bool?>(name: names, inversion: .prefixedNo, help: ArgumentHelp(stringLiteral: help))
        case .value(let valueName) where !isUnique:
            return Option<String?>(
                name: names, parsing: [.file, .folder].contains(completion) ? .next : .unconditional,
                help: ArgumentHelp(help, valueName: valueName), completion: kind)
        case .value(let valueName), .values(let valueName):
            return Option<[String]>(
                wrappedValue: [], name: names, parsing: .singleValue, help: ArgumentHelp(help, valueName: valueName),
                completion: kind)
        }
    }

    private var kind: CompletionKind? {
        switch completion {
        case .nothing: nil
        case .file: .file()
        case .folder: .directory
        case .words(let words): .list(words)
        }
    }
}
