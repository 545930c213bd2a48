import HaulCore
import HaulLibC

/// The facts about the terminal in the environment.
package struct TerminalEnvironment: Sendable {
    /// Returns the value of a variable.
    let variable: @Sendable (String) -> String?

    /// The environment of this process.
    package static let process = TerminalEnvironment { ProcessEnvironment.value($0) }

    /// Makes an environment from a function that returns the value of a variable.
    package init(variable: @escaping @Sendable (String) -> String?) {
        self.variable = variable
    }

    /// True if the terminal can move its cursor.
    ///
    /// A terminal of type `dumb`, or without a type, cannot.
    package var canMoveCursor: Bool {
        guard let type = value("TERM") else { return false }
        return type != "dumb"
    }

    /// The style: UTF-8 as in locale(7), from `LC_ALL`, else `LC_CTYPE`, else `LANG`; colour unless `NO_COLOR` is set
    /// (no-color.org).
    package var style: Style {
        let locale = (value("LC_ALL") ?? value("LC_CTYPE") ?? value("LANG") ?? "").lowercased()
        return Style(
            unicode: ["utf-8", "utf8"].contains { locale.contains(bytes: $0) }, colour: value("NO_COLOR") == nil)
    }

    /// Returns the value of a variable that is set and not empty.
    package func value(_ name: String) -> String? {
        variable(name).flatMap { $0.isEmpty ? nil : $0 }
    }
}
