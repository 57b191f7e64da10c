//! The keys whose secret halves are published with the demo.
//!
//! A file may call such a key private; it is still everybody's. So they are known by their ids.

use crate::KeyId;

/// `deploy/demo/keys/{root,pin,overlay,snapshot,edge,cell-eu-a,cell-eu-b,cell-us-a}.jwk`.
const PUBLISHED: [&str; 8] = [
    "adeac91a34674c2e",
    "ae57868e055de9af",
    "568b3df166d75e42",
    "f26cb4a28eefe9ed",
    "8e779b5c47d9eccc",
    "923a0db8d3bcfe6c",
    "240305b723d1e99d",
    "760c2957c4edcf7f",
];

/// Whether everybody has the secret half of this key.
#[must_use]
pub fn is_published(id: KeyId) -> bool {
    PUBLISHED.contains(&id.to_string().as_str())
}

#[cfg(test)]
mod tests {
    use super::PUBLISHED;
    use crate::VerifyingKey;

    #[test]
    fn the_ids_are_those_of_the_files() {
        let files = [
            include_str!("../../../deploy/demo/keys/root.jwk"),
            include_str!("../../../deploy/demo/keys/pin.jwk"),
            include_str!("../../../deploy/demo/keys/overlay.jwk"),
            include_str!("../../../deploy/demo/keys/snapshot.jwk"),
            include_str!("../../../deploy/demo/keys/edge.jwk"),
            include_str!("../../../deploy/demo/keys/cell-eu-a.jwk"),
            include_str!("../../../deploy/demo/keys/cell-eu-b.jwk"),
            include_str!("../../../deploy/demo/keys/cell-us-a.jwk"),
        ];
        let ids = files.map(|file| VerifyingKey::from_jwk(file).unwrap().id().to_string());
        assert_eq!(ids, PUBLISHED);
    }
}
