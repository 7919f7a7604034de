import Service
import Simulator
import Testing

struct SimulatorSettingsTests {
    private func read(
        _ environment: [String: String]
    ) -> (settings: SimulatorSettings, problems: [String]) {
        var reader = SettingsReader(environment: environment, table: SimulatorSettings.table)
        let settings = SimulatorSettings.read(&reader)
        do {
            try reader.finish()
            return (settings, [])
        } catch {
            return (settings, error.problems.map(\.name))
        }
    }

    @Test func defaultsAreGoodForADemo() {
        let (settings, problems) = read([:])
        #expect(problems.isEmpty)
        #expect(settings.controlPort == 8470)
        #expect(settings.adminPort == 8471)
        #expect(settings.productionPort == 8472)
        #expect(settings.sandboxPort == 8473)
        #expect(settings.callsAtOnce == 8)
        #expect(settings.certificateAuthoritiesFile == nil)
    }

    @Test func everyWrongSettingIsNamedAtOnce() {
        let (_, problems) = read([
            "HOLDFAST_SIMULATOR_CONTROL_PORT": "70000", "HOLDFAST_SIMULATOR_CALLS_AT_ONCE": "0",
        ])
        #expect(
            problems == ["HOLDFAST_SIMULATOR_CONTROL_PORT", "HOLDFAST_SIMULATOR_CALLS_AT_ONCE"])
    }
}
