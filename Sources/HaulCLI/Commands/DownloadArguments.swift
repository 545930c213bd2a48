/// The arguments of `haul get` or `haul add`, before their values are checked.
struct DownloadArguments: Hashable, Sendable {
    /// The URLs as given.
    var urls: [String] = []
    /// The options of the sections of `CommandSetting`.
    var options = OptionLayer()
    /// The options of `OptionTable`, which set properties of a download.
    var properties = OptionLayer()
    /// The options of the configuration file and the environment.
    var settings = CommandSettings()

    /// The options of the command line itself, without those of sections that have their value from the settings.
    var commandLine: OptionLayer {
        var layer = options.filter { name in
            let texts = options.texts(name)
            return texts != settings.file.texts(name) && texts != settings.environment.texts(name)
        }
        layer.merge(properties)
        return layer
    }
}
