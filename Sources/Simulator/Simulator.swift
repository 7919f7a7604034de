// A stand-in for the App Store, as strict as Apple.
