//! The keys behind the cases. None is a secret: the demo's are published, the tokens' stand in RFCs.

use domicile_envelope::SigningKey;
use domicile_jwt::TokenKey;

/// The retailer's root key.
pub(crate) fn root() -> SigningKey {
    signing(include_str!("../../../deploy/demo/keys/root.jwk"))
}

/// The root key's successor.
pub(crate) fn successor() -> SigningKey {
    signing(include_str!("../../../deploy/demo/keys/overlay.jwk"))
}

/// A cell's signing key.
pub(crate) fn cell() -> SigningKey {
    signing(include_str!("../../../deploy/demo/keys/edge.jwk"))
}

/// A key that is nobody's.
pub(crate) fn foreign() -> SigningKey {
    signing(include_str!("../../../deploy/demo/keys/pin.jwk"))
}

/// The Ed25519 key of RFC 8037, appendix A.
pub(crate) fn ed25519() -> TokenKey {
    token(
        r#"{"kty":"OKP","crv":"Ed25519","kid":"ed","alg":"EdDSA","use":"sig","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A"}"#,
    )
}

/// The P-256 key of RFC 7515, appendix A.3.
pub(crate) fn p256() -> TokenKey {
    token(
        r#"{"kty":"EC","crv":"P-256","kid":"ec","alg":"ES256","use":"sig","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0","d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI"}"#,
    )
}

#[expect(clippy::expect_used, reason = "a constant; without it there are no vectors")]
fn signing(jwk: &str) -> SigningKey {
    SigningKey::from_jwk(jwk).expect("a signing key")
}

#[expect(clippy::expect_used, reason = "a constant; without it there are no vectors")]
fn token(jwk: &str) -> TokenKey {
    TokenKey::from_jwk(jwk).expect("a token key")
}
