package import HaulCore

/// An option of a download: one row of `OptionTable`.
///
/// The row is all that command line, configuration file, environment, lists and aria2's options know of it.
package struct DownloadOption: Sendable {
    /// Reads a text into a spec; the message of an error does not name the option.
    package typealias Reader = @Sendable (_ text: String, _ spec: inout DownloadSpec) throws(DownloadError) -> Void

    /// The name of the option on the command line, without dashes.
    package let name: String
    /// The letter of the option on the command line.
    package var letter: Character?
    /// The kind of value.
    package let shape: Shape
    /// The help text.
    package let help: String
    /// The section of the help.
    package let group: Group
    /// What the value is completed with in a shell.
    package var completion = Completion.nothing
    /// Where the option may be given.
    package var scope: Scope
    /// Other names of the option, in lists and for aria2.
    package var aliases: [Alias] = []
    /// Reads the value: for a flag, `true` or `false`.
    package let read: Reader
    /// Makes the property as it is without the option; all options that others exclude have it.
    package var reset: (@Sendable (inout DownloadSpec) -> Void)?

    /// The kind of value of an option.
    package enum Shape: Hashable, Sendable {
        /// No value on the command line; `true` or `false` elsewhere.
        case flag
        /// The same, and `--no-NAME` stands for `false`.
        case toggle
        /// A value, with its name in the help.
        case value(String)
        /// A value; the option may be repeated.
        case values(String)

        /// True if the command line has no value for it.
        package var isTruth: Bool {
            switch self {
            case .flag, .toggle: true
            case .value, .values: false
            }
        }

        /// The name of the value in the help.
        package var valueName: String? {
            switch self {
            case .flag, .toggle: nil
            case .value(let name), .values(let name): name
            }
        }
    }

    /// The section of the help.
    package enum Group: Sendable, CaseIterable {
        /// What is downloaded, and where it goes.
        case files
        /// How it is downloaded.
        case transfer
        /// Credentials and security.
        case access
        /// The place in the daemon's list.
        case queue
    }

    /// What a value is completed with in a shell.
    package enum Completion: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// The names of files.
        case file
        /// The names of folders.
        case folder
        /// These words.
        case words([String])
    }

    /// Where an option may be given.
    package struct Scope: OptionSet, Sendable {
        /// The bits.
        package let rawValue: Int
        /// Creates a set of bits.
        package init(rawValue: Int) { self.rawValue = rawValue }

        /// With `haul get`.
        package static let get = Scope(rawValue: 1)
        /// With `haul add`.
        package static let add = Scope(rawValue: 2)
        /// With `haul verify`.
        package static let verify = Scope(rawValue: 4)
        /// With a download of a list, which may come from a stranger.
        package static let list = Scope(rawValue: 8)
        /// In a section `[host."…"]` of the configuration file.
        package static let host = Scope(rawValue: 16)

        /// With commands, lists and hosts.
        package static let standard: Scope = [.get, .add, .list, .host]
    }

    /// Another name of an option.
    package struct Alias: Sendable {
        /// The name, as in aria2's manual.
        package let name: String
        /// True if lists may have it.
        package var isListed = true
        /// Reads the value in aria2's form.
        package let read: Reader
        /// Returns the value in aria2's form for a report; nil if the option is not reported.
        package var report: (@Sendable (DownloadSpec) -> String?)?
    }
}

extension DownloadOption {
    /// Makes the key path of a property.
    ///
    /// That takes longer than all the rest of a row, and a command reads few rows.
    typealias Path<Value> = @Sendable () -> any WritableKeyPath<DownloadSpec, Value> & Sendable

    /// Creates an option with a value for a property.
    static func value<Value: SendableMetatype>(
        _ name: String, _ valueName: String, _ help: String, _ group: Group,
        _ path: @autoclosure @escaping Path<Value>, _ form: OptionForm<Value>,
        letter: Character? = nil, scope: Scope = .standard, aliases: [Alias] = []
    ) -> DownloadOption {
        var option = DownloadOption(
            name: name, shape: .value(valueName), help: help, group: group, scope: scope, aliases: aliases
        ) { text, spec throws(DownloadError) in spec[keyPath: path()] = try form.parse(text) }
        option.letter = letter
        option.completion = form.completion
        return option
    }

    /// Creates an option with a value for a property that may have none.
    static func value<Value: SendableMetatype>(
        _ name: String, _ valueName: String, _ help: String, _ group: Group,
        _ path: @autoclosure @escaping Path<Value?>, _ form: OptionForm<Value>,
        scope: Scope = .standard, aliases: [Alias] = []
    ) -> DownloadOption {
        var option = value(name, valueName, help, group, path(), form.optional, scope: scope, aliases: aliases)
        option.reset = { spec in spec[keyPath: path()] = nil }
        return option
    }

    /// Creates a flag for a property, which it makes true, or false if `inverts`.
    static func flag(
        _ name: String, _ help: String, _ group: Group, _ path: @autoclosure @escaping Path<Bool>,
        inverts: Bool = false, scope: Scope = .standard, aliases: [Alias] = []
    ) -> DownloadOption {
        flag(name, help, group, scope: scope, aliases: aliases) { isSet, spec in
            spec[keyPath: path()] = isSet != inverts
        }
    }

    /// Creates a flag with an effect.
    static func flag(
        _ name: String, _ help: String, _ group: Group, scope: Scope = .standard, aliases: [Alias] = [],
        _ set: @escaping @Sendable (Bool, inout DownloadSpec) -> Void
    ) -> DownloadOption {
        var option = DownloadOption(
            name: name, shape: .flag, help: help, group: group, scope: scope, aliases: aliases
        ) { text, spec throws(DownloadError) in set(try OptionForm.truth.parse(text), &spec) }
        option.reset = { spec in set(false, &spec) }
        return option
    }
}
