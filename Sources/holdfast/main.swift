import Operator
import Service

ServiceMain.exit(Operator.main(arguments: Array(CommandLine.arguments.dropFirst())))
