internal import AppStore
internal import FoundationEssentials
internal import Retention
internal import RetentionStore
internal import Service
internal import Signing

// MARK: - Between our words and Apple's

extension SyncTurn {
    /// `nil` where what it needs is there no more.
    func translated(_ wanted: Wanted) throws -> RetentionMessagingCall? {
        switch wanted {
        case .other(let call): return call
        case .planned(let operation):
            switch operation {
            case .listImages: return .listImages
            case .listMessages: return .listMessages
            case .uploadImage(let id): return try imageUpload(id)
            case .uploadMessage(let id, _): return messageUpload(id)
            case .setDefault(let slot, let id):
                return .setDefault(productId: slot.productId, locale: slot.locale, messageId: id)
            case .getDefault(let slot):
                return .getDefault(productId: slot.productId, locale: slot.locale)
            case .deleteDefault(let slot):
                return .deleteDefault(productId: slot.productId, locale: slot.locale)
            case .deleteMessage(let id): return .deleteMessage(id: id)
            case .deleteImage(let id): return .deleteImage(id: id)
            case .getRealtimeURL: return .getRealtimeURL
            case .setRealtimeURL(let endpoint):
                return realtimeURL(of: endpoint).map { .setRealtimeURL($0) }
            case .deleteRealtimeURL: return .deleteRealtimeURL
            }
        }
    }

    private func imageUpload(_ id: UUID) throws -> RetentionMessagingCall? {
        guard case .image(let image, let size) = desire.contents[id]?.source else { return nil }
        do {
            let png = try commit { transaction, _ in
                try transaction.imageFile(image, of: key.app)
            }
            return .uploadImage(id: id, size: size, png: png)
        } catch let error as StoreError where error.code == .notFound {
            return nil
        }
    }

    private func messageUpload(_ id: UUID) -> RetentionMessagingCall? {
        guard case .text(let text, let images) = desire.contents[id]?.source,
            let body = UploadMessageBody(text, appleImages: images)
        else { return nil }
        return .uploadMessage(id: id, body)
    }

    /// `nil` where the endpoint is there no more, or its token does not open.
    func realtimeURL(of endpoint: EndpointID, origin: String? = nil) -> String? {
        guard let sealed = endpoints.first(where: { $0.id == endpoint }) else { return nil }
        do {
            let token = try worker.keys.endpointToken(sealed)
            return (origin ?? options.publicOrigin) + "/realtime/" + token
        } catch {
            worker.metrics.keyRefused.add()
            worker.log.error(
                "endpoint_token_refused",
                worker.fields(lease) + [("error", .string(error.code.rawValue))])
            return nil
        }
    }

    func read(_ content: RetentionMessagingContent?) -> AppleContentRead? {
        switch content {
        case .images(let list):
            .objects(
                list.entries.map { ListedObject(id: $0.id, state: $0.state) },
                isWhole: list.skipped == 0)
        case .messages(let list):
            .objects(
                list.entries.map { ListedObject(id: $0.id, state: $0.state) },
                isWhole: list.skipped == 0)
        case .defaultMessage(let id): .defaultMessage(id)
        case .realtimeURL(let url): .realtimeURL(known(url))
        case .performanceTestStarted, .performanceTest, nil: nil
        }
    }

    /// Which of our endpoints a URL at Apple is, or that it is none.
    private func known(_ url: String) -> ObservedURL {
        for endpoint in endpoints where realtimeURL(of: endpoint.id) == url {
            return .own(endpoint.id)
        }
        return .foreign
    }
}

extension SyncTurn.Wanted {
    var endpoint: AppleEndpoint {
        switch self {
        case .planned(let operation): operation.endpoint
        case .other(let call): call.endpoint
        }
    }

    var appleId: UUID? {
        guard case .planned(let operation) = self else { return nil }
        return switch operation {
        case .uploadImage(let id), .uploadMessage(let id, _), .setDefault(_, let id),
            .deleteMessage(let id), .deleteImage(let id):
            id
        case .listImages, .listMessages, .getDefault, .deleteDefault, .getRealtimeURL,
            .setRealtimeURL, .deleteRealtimeURL:
            nil
        }
    }

    var slot: DefaultSlot? {
        guard case .planned(let operation) = self else { return nil }
        return switch operation {
        case .setDefault(let slot, _), .getDefault(let slot), .deleteDefault(let slot): slot
        default: nil
        }
    }
}
