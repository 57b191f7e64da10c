//! Whose word an artefact is taken on.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;

use domicile_edge::{Edge, Settings, StartError, Trust};
use domicile_edge_manifest::{CellOrigin, Manifest, Scheme, VERSION};
use domicile_envelope::SigningKey;
use http::Method;

use crate::cell::{Cell, Does};
use crate::client::{get, send};
use crate::fixture::{Artefact, sealed};
use crate::host::{Host, any_port, settings};

fn manifest(artefact: &Artefact, cell: SocketAddr) -> Manifest {
    Manifest {
        version: VERSION,
        sha256: artefact.sha256(),
        bytes: artefact.bytes().len() as u64,
        bytes_without_tables: 0,
        built_minute: 1,
        topology_serial: 7,
        topology_sha256: String::new(),
        overlay: "overlay".to_owned(),
        vocabulary: "v1".to_owned(),
        lists_not_after: "2100-01-01T00:00:00Z".parse().unwrap(),
        routes_not_after: None,
        pins_until_minute: 60,
        cells: vec![CellOrigin {
            name: "eu-a".to_owned(),
            scheme: Scheme::Http,
            authority: cell.to_string(),
        }],
        tools: BTreeMap::new(),
        inputs: BTreeMap::new(),
        imports: Vec::new(),
        parts: BTreeMap::new(),
    }
}

fn put(artefact: &Artefact, manifest: &Manifest, key: &SigningKey) {
    std::fs::write(artefact.beside("manifest.dsse.json"), manifest.sign(key)).unwrap();
}

fn jwk(artefact: &Artefact, key: &SigningKey) -> PathBuf {
    let path = artefact.beside(&format!("{}.jwk", key.verifying_key().id()));
    std::fs::write(&path, key.verifying_key().to_jwk()).unwrap();
    path
}

#[tokio::test]
async fn a_signed_artefact_serves_and_its_manifest_names_the_cells() {
    let cell = Cell::start(Does::Answers(200, b"opened".to_vec())).await;
    let (artefact, key) = (Artefact::relay(cell.address), SigningKey::generate());
    put(&artefact, &manifest(&artefact, cell.address), &key);
    let trust = Trust::Keys(vec![jwk(&artefact, &SigningKey::generate()), jwk(&artefact, &key)]);
    let host = Host::start(Settings { trust, admin: any_port(), ..settings(&artefact.path(), &[]) }).await;
    assert_eq!(send(host.address, Method::POST, &sealed(), &[], b"sealed").await.text(), "opened");

    let metrics = get(host.admin.unwrap(), "/metrics").await;
    let left = |name: &str| {
        let line = metrics.text().lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse::<i64>().unwrap()
    };
    assert!(left("domicile_edge_lists_seconds_left ") > 0);
    assert!(left("domicile_edge_pins_seconds_left ") < 0);

    assert!(metrics.text().contains("domicile_edge_topology_serial 7\n"));

    // A swap is held to the same.
    let next = Artefact::listing("bread");
    artefact.becomes(&next.bytes());
    assert!(matches!(host.reload.reload().await, Err(StartError::Untrusted(_))));
    assert_eq!(send(host.address, Method::POST, &sealed(), &[], b"sealed").await.text(), "opened");
    put(&artefact, &manifest(&artefact, cell.address), &key);
    host.reload.reload().await.unwrap();
    host.stop().await;
}

#[tokio::test]
async fn one_that_nobody_trusted_signed_for_does_not_start() {
    let (artefact, key) = (Artefact::listing("milk"), SigningKey::generate());
    let nobody = SocketAddr::from(([127, 0, 0, 1], 9));
    let trusting = |key: &SigningKey| Settings {
        trust: Trust::Keys(vec![jwk(&artefact, key)]),
        ..settings(&artefact.path(), &[])
    };
    let refused = async |settings: Settings, says: &str| {
        let Err(error) = Edge::start(settings).await else { panic!("it started") };
        assert!(error.to_string().contains(says) && error.to_string().lines().count() == 1, "{error}");
        assert_eq!(error.exit_code(), 3);
    };
    refused(trusting(&key), "No such file").await;
    put(&artefact, &manifest(&artefact, nobody), &SigningKey::generate());
    refused(trusting(&key), "manifest").await;
    let other = Manifest { sha256: "00".repeat(32), ..manifest(&artefact, nobody) };
    put(&artefact, &other, &key);
    refused(trusting(&key), "describes the artefact").await;
    let mut odd = manifest(&artefact, nobody);
    odd.cells[0].authority = "user@cell.example:1/path".to_owned();
    put(&artefact, &odd, &key);
    refused(trusting(&key), "not host:port").await;
    std::fs::write(artefact.beside("key.jwk"), "{}").unwrap();
    let settings =
        Settings { trust: Trust::Keys(vec![artefact.beside("key.jwk")]), ..settings(&artefact.path(), &[]) };
    refused(settings, "key.jwk").await;
}

#[tokio::test]
async fn a_key_that_everybody_has_vouches_on_loopback_only() {
    let demo = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/demo/keys/edge.jwk");
    let key = SigningKey::from_jwk(&std::fs::read_to_string(demo).unwrap()).unwrap();
    let artefact = Artefact::listing("milk");
    put(&artefact, &Manifest { cells: Vec::new(), ..manifest(&artefact, ([127, 0, 0, 1], 9).into()) }, &key);
    let trust = Trust::Keys(vec![demo.into()]);
    let own = Settings { trust, ..settings(&artefact.path(), &[]) };
    assert!(Edge::start(own.clone()).await.is_ok());
    let open = Settings { listen: ([0, 0, 0, 0], 0).into(), ..own };
    let Err(error) = Edge::start(open).await else { panic!("it started") };
    assert!(error.to_string().contains("published with the demo"), "{error}");
    assert_eq!(error.exit_code(), 3);
}
