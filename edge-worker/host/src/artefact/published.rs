//! Keys whose secret halves are published with the demo: everybody can sign with them, so on an address that other
//! machines reach they vouch for nothing.

use domicile_envelope::KeyId;

/// The ids of `deploy/demo/keys/{root,pin,overlay,snapshot,edge}.jwk`.
const PUBLISHED: [&str; 5] =
    ["adeac91a34674c2e", "ae57868e055de9af", "568b3df166d75e42", "f26cb4a28eefe9ed", "8e779b5c47d9eccc"];

/// Whether everybody has the secret half of this key.
pub(super) fn is_published(id: KeyId) -> bool {
    PUBLISHED.contains(&id.to_string().as_str())
}

#[cfg(test)]
mod tests {
    use domicile_envelope::VerifyingKey;

    #[test]
    fn the_ids_are_those_of_the_files() {
        let files = [
            include_str!("../../../../deploy/demo/keys/root.jwk"),
            include_str!("../../../../deploy/demo/keys/pin.jwk"),
            include_str!("../../../../deploy/demo/keys/overlay.jwk"),
            include_str!("../../../../deploy/demo/keys/snapshot.jwk"),
            include_str!("../../../../deploy/demo/keys/edge.jwk"),
        ];
        let ids = files.map(|file| VerifyingKey::from_jwk(file).unwrap().id().to_string());
        assert_eq!(ids, super::PUBLISHED);
    }
}
