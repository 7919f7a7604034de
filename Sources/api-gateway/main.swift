internal import AdminAPI
internal import Service

ServiceMain.exit(AdminAPI.main())
