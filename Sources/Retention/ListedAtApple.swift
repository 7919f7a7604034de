package import FoundationEssentials

/// What Apple's list says of an image; more of it cannot be read back.
package struct ListedImage: Hashable, Sendable {
    package let id: UUID
    package let state: ReviewState
    /// `nil` for a size that Apple added later.
    package let size: ImageSize?

    package init(id: UUID, state: ReviewState, size: ImageSize?) {
        self.id = id
        self.state = state
        self.size = size
    }
}

/// What Apple's list says of a message; its text cannot be read back.
package struct ListedMessage: Hashable, Sendable {
    package let id: UUID
    package let state: ReviewState

    package init(id: UUID, state: ReviewState) {
        self.id = id
        self.state = state
    }
}

/// A whole list, in Apple's order.
package struct AppleList<Entry: Hashable & Sendable>: Hashable, Sendable {
    package let entries: [Entry]
    /// Entries without a readable identifier or state. Where there are any, what is missing in
    /// `entries` may still be at Apple.
    package let skipped: Int

    package init(entries: [Entry], skipped: Int) {
        self.entries = entries
        self.skipped = skipped
    }
}
