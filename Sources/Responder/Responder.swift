// Answers one real-time request of the App Store.
