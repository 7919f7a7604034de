// The process that answers the App Store; all behaviour is in `Responder`.
import Responder
import Service

ServiceMain.exit(Responder.main())
