// The admin API of agencies, and what is done for it in the background: see AdminAPI.
internal import AdminAPI
internal import Service

ServiceMain.exit(AdminAPI.main())
