// Makes Apple's side equal to what agencies want: see AppleSync.
internal import AppleSync
internal import Service

ServiceMain.exit(AppleSync.main())
