import Responder
import Service

ServiceMain.exit(Responder.main())
