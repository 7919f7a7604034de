// The App Store simulator: settings from the environment, a control API, runs until SIGTERM.

import Service
import Simulator

ServiceMain.exit(Simulator.run())
