import FoundationEssentials

/// What Apple's calls change in an app's state. Each change is whole, or it throws Apple's error
/// and changes nothing.
extension AppCatalog {
    mutating func upload(_ image: AppState.Image, limit: Int) throws(AppleError) {
        guard let identifier = uuid(image.imageIdentifier) else { throw .generalBadRequest }
        guard images[identifier] == nil else { throw .imageAlreadyExists }
        guard state.images.count < limit else { throw .maximumNumberOfImagesReached }
        images[identifier] = image
        state.images.append(image)
    }

    mutating func deleteImage(_ identifier: UUID) throws(AppleError) {
        guard let image = images[identifier] else { throw .imageNotFound }
        guard !state.messages.contains(where: { $0.names(identifier) }) else { throw .imageInUse }
        images[identifier] = nil
        state.images.removeAll { sameBytes($0.imageIdentifier, image.imageIdentifier) }
    }

    /// The message's own shape has been judged; here its images are.
    mutating func upload(_ message: AppState.Message, limit: Int) throws(AppleError) {
        guard let identifier = uuid(message.messageIdentifier) else { throw .generalBadRequest }
        if let image = message.image { try check(image.imageIdentifier, .fullSize) }
        for bullet in message.bulletPoints ?? [] {
            try check(bullet.imageIdentifier, .bulletPoint)
        }
        guard messages[identifier] == nil else { throw .messageAlreadyExists }
        guard state.messages.count < limit else { throw .maximumNumberOfMessagesReached }
        messages[identifier] = message
        state.messages.append(message)
    }

    private func check(
        _ imageIdentifier: String, _ size: AppState.Image.Size
    ) throws(AppleError) {
        guard let image = uuid(imageIdentifier).flatMap({ images[$0] }) else {
            throw .imageNotFound
        }
        guard image.imageSize == size else { throw .badImageSize }
    }

    /// Where the message is a default, it is one no longer.
    mutating func deleteMessage(_ identifier: UUID) throws(AppleError) {
        guard let message = messages[identifier] else { throw .messageNotFound }
        messages[identifier] = nil
        state.messages.removeAll { sameBytes($0.messageIdentifier, message.messageIdentifier) }
        defaults = defaults.filter { $0.value != identifier }
        state.defaults.removeAll { uuid($0.messageIdentifier) == identifier }
    }

    /// Sets or replaces; product and locale have been judged.
    mutating func configure(_ entry: AppState.DefaultMessage) throws(AppleError) {
        guard let identifier = uuid(entry.messageIdentifier), let message = messages[identifier]
        else { throw .messageNotFound }
        guard message.messageState == .approved else { throw .messageNotApproved }
        guard unapprovedImages(of: message).isEmpty else { throw .imageNotApproved }
        let place = DefaultPlace(entry.productId, entry.locale)
        if defaults.updateValue(identifier, forKey: place) != nil { removeFromState(place) }
        state.defaults.append(entry)
    }

    mutating func deleteDefault(productId: String, locale: String) throws(AppleError) {
        let place = DefaultPlace(productId, locale)
        guard defaults.removeValue(forKey: place) != nil else { throw .defaultMessageNotFound }
        removeFromState(place)
    }

    private mutating func removeFromState(_ place: DefaultPlace) {
        state.defaults.removeAll { DefaultPlace($0.productId, $0.locale) == place }
    }

    /// False where neither an image nor a message bears the identifier.
    @discardableResult
    mutating func decide(_ identifier: UUID, _ decision: AppState.ReviewState) -> Bool {
        if let image = images[identifier] {
            images[identifier]?.imageState = decision
            let place = state.images.firstIndex {
                sameBytes($0.imageIdentifier, image.imageIdentifier)
            }
            if let place { state.images[place].imageState = decision }
        }
        if let message = messages[identifier] {
            messages[identifier]?.messageState = decision
            let place = state.messages.firstIndex {
                sameBytes($0.messageIdentifier, message.messageIdentifier)
            }
            if let place { state.messages[place].messageState = decision }
        }
        return images[identifier] != nil || messages[identifier] != nil
    }
}

extension AppState.Message {
    /// Whether the image is shown with the message or with one of its bullets.
    fileprivate func names(_ image: UUID) -> Bool {
        if let own = self.image, uuid(own.imageIdentifier) == image { return true }
        return (bulletPoints ?? []).contains { uuid($0.imageIdentifier) == image }
    }
}
