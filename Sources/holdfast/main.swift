// The operator's command line; each command is a file of `Operator`.
import Operator
import Service

ServiceMain.exit(Operator.main(arguments: Array(CommandLine.arguments.dropFirst())))
