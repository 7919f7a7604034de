import Service
import Simulator

ServiceMain.exit(Simulator.run())
