//! An edge that lies about where to seal to: keys of its own, another cell's, an old or a foreign manifest. A client
//! seals nothing then, so there is nothing that the edge could open.

use domicile_client::{Client, Network, Outcome, Reason, Seen};
use domicile_envelope::SigningKey;
use domicile_route::{KeyStatement, RouteManifest, Trust};
use domicile_seal::config::encode_list;
use domicile_seal::{Kem, SealingKey};

use super::message::Message;
use super::stage::{Stage, secret};

const LOCALE: &str = "de-DE";

/// A lie: what is answered in place of the edge's documents below a path.
type Lie = (&'static str, &'static str, Vec<u8>, Reason);

pub(crate) fn a_lying_edge_gets_nothing(stage: &Stage) {
    let shopper = stage.world.shopper(LOCALE, "eu-a").unwrap();
    let grant = stage.world.grant(shopper, LOCALE).unwrap();
    let get = |path: &str| stage.send("GET", path, &[], &[]).body;
    let now_s = i64::try_from(domicile_cluster::report::unix_seconds()).unwrap();

    // A key pair of the edge's own, so that it could read, in a statement it signed itself.
    let edge = SigningKey::generate();
    let key = SealingKey::generate(7, Kem::X25519, now_s).unwrap().config().unwrap();
    let statement = KeyStatement::new("eu-a", &encode_list([key.as_slice()]), now_s, now_s + 14_400);
    let own = statement.sign(&edge).into_bytes();
    let genuine = KeyStatement::open(
        &String::from_utf8(get("/v1/keys/eu-a")).unwrap(),
        "eu-a",
        &[secret("cell-eu-a").verifying_key()],
        now_s,
    )
    .unwrap();
    let past = KeyStatement::new("eu-a", &genuine.list().unwrap(), now_s - 90_000, now_s - 60);
    // A manifest that names the edge's own key as the cell's, signed by itself: with it the statement would hold.
    let manifest = String::from_utf8(get("/v1/route/eu_only")).unwrap();
    let root = secret("root");
    let roots = [root.verifying_key()];
    let open = |seen| RouteManifest::open(&manifest, "eu_only", Trust { roots: &roots, seen, now_s });
    let mut forged = open(0).unwrap();
    for cell in &mut forged.cells {
        cell.signing_key = edge.verifying_key().to_jwk();
    }
    let clocks = forged.clocks;
    let mut old = RouteManifest::new("eu_only", forged.version, clocks, now_s - 90_000, now_s - 60);
    (old.cells, old.locales, old.slots) =
        (open(0).unwrap().cells, forged.locales.clone(), forged.slots.clone());

    let lies: [Lie; 8] = [
        ("its own keys, which it signed", "/v1/keys/", own.clone(), Reason::KeysUntrusted),
        ("another cell's keys", "/v1/keys/", get("/v1/keys/eu-b"), Reason::KeysUntrusted),
        ("keys whose time is over", "/v1/keys/", past.sign(&secret("cell-eu-a")).into(), Reason::KeysStale),
        ("keys without a signature", "/v1/keys/", genuine.configs.into(), Reason::KeysUntrusted),
        ("a manifest that it signed", "/v1/route/", forged.sign(&edge).into(), Reason::ManifestUntrusted),
        ("another class's manifest", "/v1/route/", get("/v1/route/us_only"), Reason::OtherClass),
        ("last month's manifest", "/v1/route/", old.sign(&root).into(), Reason::ManifestStale),
        (
            "a manifest that a cell signed",
            "/v1/route/",
            forged.sign(&secret("cell-eu-a")).into(),
            Reason::ManifestUntrusted,
        ),
    ];
    for (name, below, document, reason) in lies {
        let lie = move |request: &Message, answer: &Message| {
            request.path().starts_with(below).then(|| answer.with_body(&document))
        };
        let (outcome, posts) = stage.front.lying(lie, || ranked(stage, &stage.client(), &grant));
        assert_eq!((outcome, posts), (Err(reason), 0), "{name}");
    }
    // An older one than was seen, which is as true as it ever was.
    let version = open(0).unwrap().version;
    let mut seen = Seen::default();
    seen.note("eu_only", version + 1);
    let rolled_back = ranked(stage, &stage.client_that_saw(seen), &grant);
    assert_eq!(rolled_back, (Err(Reason::ManifestRolledBack), 0));

    // An edge that does not lie, counted by the same recorders.
    let (outcome, posts) = ranked(stage, &stage.client(), &grant);
    assert_eq!((outcome, posts), (Ok("eu-a".to_owned()), 2), "before the edge and behind it");
}

/// A shelf's cell, or why there is none; and how many sealed requests any recorder saw meanwhile.
fn ranked(
    stage: &Stage,
    client: &Client<Network>,
    grant: &domicile_client::Grant,
) -> (Result<String, Reason>, usize) {
    let mark = stage.mark();
    let outcome = stage.call(client, grant, (LOCALE, "home"), async |ask| client.rank(ask, vec![]).await);
    let outcome = match outcome {
        Outcome::Answered(answered) => Ok(answered.cell),
        Outcome::Fallback(fallback) => {
            assert_eq!(fallback.attempts, 0, "nothing was sealed");
            Err(fallback.reason)
        }
        other => panic!("{other:?}"),
    };
    let written = stage.since(&mark);
    let all = written.outer.iter().chain(written.inner.values().flatten());
    (outcome, all.filter(|exchange| exchange.is_post()).count())
}
