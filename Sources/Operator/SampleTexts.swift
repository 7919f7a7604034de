package import Retention

/// The texts of the sample agency's apps, in four languages. The same text in several locales of a
/// language is one message at Apple.
struct SampleText {
    let header: String
    let body: String
}

package enum SampleMessage: CaseIterable, Sendable {
    /// Text alone; every product's default.
    case thanks
    /// With a picture and bullets.
    case highlights
    /// Goes with the switch to the annual product paid monthly.
    case commitment
    /// Goes with the promotional offer.
    case halfPrice

    package var name: String {
        switch self {
        case .thanks: "Thank you"
        case .highlights: "What is new"
        case .commitment: "Twelve months, paid monthly"
        case .halfPrice: "Three months at half price"
        }
    }

    /// The locales it is written in. Defaults cover more, since Apple shows nothing at all for a
    /// product in a locale without one.
    package var locales: [String] {
        let own = ["en-US", "ja", "zh-Hant", "es-MX"]
        return self == .thanks ? own + ["en-GB", "en-AU", "en-CA", "es-ES"] : own
    }

    func text(in locale: String, app: String) -> SampleText {
        switch locale.utf8.prefix(2).map({ $0 }) {
        case Array("ja".utf8): japanese(app)
        case Array("zh".utf8): chinese(app)
        case Array("es".utf8): spanish(app)
        default: english(app)
        }
    }

    private func english(_ app: String) -> SampleText {
        switch self {
        case .thanks:
            SampleText(
                header: "Thank you for being with us",
                body: "Your \(app) subscription keeps every article and every list you saved.")
        case .highlights:
            SampleText(
                header: "New in \(app) this month",
                body: "Your subscription now includes offline reading and family sharing.")
        case .commitment:
            SampleText(
                header: "Pay less each month",
                body: "Stay for twelve months and keep paying monthly, at a lower price.")
        case .halfPrice:
            SampleText(
                header: "Three months at half price",
                body: "Stay with \(app) and pay half for the next three months.")
        }
    }

    private func japanese(_ app: String) -> SampleText {
        switch self {
        case .thanks:
            SampleText(header: "ご利用ありがとうございます", body: "\(app)では、保存した記事とリストをいつでもご覧いただけます。")
        case .highlights:
            SampleText(header: "\(app)の今月の新機能", body: "オフライン読書とファミリー共有が使えるようになりました。")
        case .commitment:
            SampleText(header: "月々のお支払いをお得に", body: "12か月のご契約で、月払いのまま料金が安くなります。")
        case .halfPrice:
            SampleText(header: "3か月間半額", body: "\(app)を続けると、これから3か月間は半額でご利用いただけます。")
        }
    }

    private func chinese(_ app: String) -> SampleText {
        switch self {
        case .thanks:
            SampleText(header: "感謝您的支持", body: "繼續訂閱\(app)，您收藏的文章與清單都會保留。")
        case .highlights:
            SampleText(header: "\(app)本月新功能", body: "訂閱現已包含離線閱讀與家人共享。")
        case .commitment:
            SampleText(header: "每月付得更少", body: "承諾使用十二個月，仍可按月付款，價格更優惠。")
        case .halfPrice:
            SampleText(header: "三個月半價優惠", body: "繼續使用\(app)，接下來三個月只需半價。")
        }
    }

    private func spanish(_ app: String) -> SampleText {
        switch self {
        case .thanks:
            SampleText(
                header: "Gracias por estar con nosotros",
                body: "Con \(app) conservas todos los artículos y las listas que guardaste.")
        case .highlights:
            SampleText(
                header: "Novedades de \(app) este mes",
                body: "Tu suscripción ya incluye lectura sin conexión y uso en familia.")
        case .commitment:
            SampleText(
                header: "Paga menos cada mes",
                body: "Quédate doce meses y sigue pagando mes a mes, a un precio menor.")
        case .halfPrice:
            SampleText(
                header: "Tres meses a mitad de precio",
                body: "Sigue con \(app) y paga la mitad durante los próximos tres meses.")
        }
    }
}

/// The pictures of one app.
package struct SampleImages {
    package static let fullSizePNG = PackageResources.full_size_png
    package static let bulletPointPNG = PackageResources.bullet_point_png

    package let fullSize: ImageID
    package let bulletPoint: ImageID

    package init(fullSize: ImageID, bulletPoint: ImageID) {
        self.fullSize = fullSize
        self.bulletPoint = bulletPoint
    }
}

extension SampleMessage {
    package var kind: MessageKind {
        switch self {
        case .thanks, .highlights: .text
        case .commitment: .switchPlan
        case .halfPrice: .promotionalOffer
        }
    }

    package func localization(_ locale: String, app: String, _ images: SampleImages) -> Localization
    {
        let text = text(in: locale, app: app)
        guard self == .highlights else {
            return Localization(locale: locale, header: text.header, body: text.body)
        }
        return Localization(
            locale: locale, header: text.header, body: text.body, headerPosition: .aboveImage,
            image: PlacedImage(image: images.fullSize, altText: app),
            bullets: [
                Bullet(
                    text: text.header,
                    image: PlacedImage(image: images.bulletPoint, altText: app))
            ])
    }
}
