// The admin API of agencies, and what is done for it in the background: see AppleSync.
internal import AppleSync
internal import Service

ServiceMain.exit(AppleSync.main())
