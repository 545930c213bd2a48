import HaulCore
import HaulServer
import Testing

@Suite("Variables of the environment")
struct EnvironmentNamesTests {
    @Test("A misspelt one is named together with the one that was meant; known ones and those of others are not")
    func misspelt() {
        let warnings = EnvironmentNames.warnings([
            "HAUL_ROOTZ": "/a", "HAUL_SOKET": "/s", "HAUL_SOMETHING_ELSE": "1", "HAUL_ROOTS": "/a",
            "HAUL_LOG_LEVEL": "info",
            "HAUL_ID": "1", "HAUL_PATH": "/h", "HAUL_NO_AUTOSTART": "1", "HAULAGE": "x", "HOME": "/",
        ])
        #expect(
            warnings == [
                "the environment variable HAUL_ROOTZ is not a setting: did you mean HAUL_ROOTS?",
                "the environment variable HAUL_SOKET is not a setting: did you mean HAUL_SOCKET?",
                "the environment variable HAUL_SOMETHING_ELSE is not a setting and is ignored",
            ])
    }

    @Test("A misspelt setting of the file is named together with the one that was meant")
    func file() {
        let error = #expect(throws: HaulCore.DownloadError.self) { try ConfigurationFile(parsing: "prot = 1") }
        #expect(error?.message.contains("unknown setting \"prot\": did you mean port?") == true)
        let other = #expect(throws: HaulCore.DownloadError.self) { try ConfigurationFile(parsing: "zzzzzz = 1") }
        #expect(other?.message.contains("unknown setting \"zzzzzz\": expected one of roots, port") == true)
    }
}
