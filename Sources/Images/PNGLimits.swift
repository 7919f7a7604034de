/// What one picture may take. Every number is a refusal before anything is allocated for it.
package struct PNGLimits: Sendable {
    /// Of the file.
    package var bytes = 20 << 20
    /// In pixels.
    package var width = 3840
    /// In pixels.
    package var height = 2160
    /// Of all scanlines once inflated, their filter bytes included: 16-bit RGBA of 3840 x 2160 has
    /// 66,357,360.
    package var decodedBytes = 64 << 20
    /// Encoders write pixels in pieces of 4 KB and more: 20 MB have some 5,000.
    package var chunkCount = 10_000
    /// Of all ancillary chunks together. A colour profile has some KB; compressed text that would
    /// inflate to 4 GB has more than 4 MB.
    package var metadataBytes = 1 << 20

    package init() {}
}
