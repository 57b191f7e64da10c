use domicile_envelope::EnvelopeError;

use super::*;

fn manifest() -> Manifest {
    let interface = Interface { name: "wasi:http/client@0.3.0".into(), functions: vec!["send".into()] };
    Manifest {
        version: VERSION,
        sha256: sha256_hex(b"artefact"),
        bytes: 8,
        bytes_without_tables: 7,
        built_minute: 29_999_000,
        topology_serial: 3,
        topology_sha256: sha256_hex(b"topology"),
        overlay: "sha256:1".into(),
        vocabulary: "sha256:2".into(),
        lists_not_after: "2027-01-15T08:00:00Z".parse().unwrap(),
        routes_not_after: None,
        pins_until_minute: 30_000_000,
        cells: vec![CellOrigin {
            name: "eu-a".into(),
            scheme: Scheme::Https,
            authority: "cell-a.example:443".into(),
        }],
        tools: [("rustc".into(), "1.95.0".into())].into(),
        inputs: [("overlay".into(), sha256_hex(b"overlay"))].into(),
        imports: vec![interface.clone()],
        parts: [("relay".into(), vec![interface])].into(),
    }
}

fn signed(payload: &str, key: &SigningKey) -> String {
    Envelope::sign(PAYLOAD_TYPE, payload.as_bytes(), key).to_json()
}

#[test]
fn a_signed_manifest_is_read_back() {
    let key = SigningKey::generate();
    let envelope = manifest().sign(&key);
    assert_eq!(Manifest::open(envelope.as_bytes(), &[key.verifying_key()]), Ok(manifest()));
    assert_eq!(manifest().cells[0].to_string(), "https://cell-a.example:443");
}

#[test]
fn each_refusal_is_named() {
    let (key, other) = (SigningKey::generate(), SigningKey::generate());
    let trusted = [key.verifying_key()];
    let open = |envelope: &str| Manifest::open(envelope.as_bytes(), &trusted);
    assert_eq!(Manifest::open(&[0xff], &trusted), Err(ManifestError::Encoding));
    let untrusted = open(&manifest().sign(&other));
    assert!(matches!(untrusted, Err(ManifestError::Untrusted(EnvelopeError::Untrusted { .. }))));
    let overlay = Envelope::sign("application/vnd.domicile.overlay+json", b"{}", &key).to_json();
    assert!(matches!(open(&overlay), Err(ManifestError::Untrusted(EnvelopeError::Type { .. }))));
    assert_eq!(open(&signed(r#"{"version":3,"new":1}"#, &key)), Err(ManifestError::Version(3)));
    assert!(matches!(open(&signed(r#"{"version":2}"#, &key)), Err(ManifestError::Form(_))));
}

#[test]
fn unknown_fields_and_wrong_times_are_named() {
    let key = SigningKey::generate();
    let text = serde_json::to_string(&manifest()).unwrap();
    let refusal = |text: &str| {
        Manifest::open(signed(text, &key).as_bytes(), &[key.verifying_key()]).unwrap_err().to_string()
    };
    assert!(refusal(&text.replace("\"overlay\":\"", "\"cover\":\"")).contains("`cover`"));
    assert!(refusal(&text.replace("2027-01-15T", "soon")).contains("no RFC 3339 time"));
    let routes = text.replacen("{\"version\"", "{\"routes_not_after\":\"soon\",\"version\"", 1);
    assert!(refusal(&routes).contains("no RFC 3339 time"));
}

#[test]
fn it_belongs_to_one_artefact() {
    assert_eq!(manifest().ensure_describes(b"artefact"), Ok(()));
    let other = manifest().ensure_describes(b"artefacT");
    assert!(matches!(other, Err(ManifestError::OtherArtefact { .. })));
}

#[test]
fn it_serves_until_lists_routes_or_pins_end() {
    // Minute 30 000 000 is 2027-01-15T08:00:00Z.
    let pins_first = Manifest { pins_until_minute: 29_999_999, ..manifest() };
    assert_eq!(pins_first.serves_until_text(), "2027-01-15T07:59:00Z");
    let lists_first = Manifest { pins_until_minute: 30_000_001, ..manifest() };
    assert_eq!(lists_first.serves_until_text(), "2027-01-15T08:00:00Z");
    let end = "2027-01-15T07:58:00Z";
    let routes_first = Manifest { routes_not_after: end.parse().ok(), ..pins_first };
    assert_eq!(routes_first.serves_until_text(), end);
    let key = SigningKey::generate();
    let opened = Manifest::open(routes_first.sign(&key).as_bytes(), &[key.verifying_key()]);
    assert_eq!(opened, Ok(routes_first));
}
