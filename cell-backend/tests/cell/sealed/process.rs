//! The cell as it is deployed: keys in a directory, tokens by a file, nothing personal in its log.

use std::process::Command;

use domicile_cell::clock::Clock;
use domicile_envelope::SigningKey;
use domicile_jwt::TokenKey;
use domicile_route::KeyStatement;
use domicile_seal::config::{PublicConfig, read_list};
use domicile_seal::{REQUEST_TYPE, Sealer};
use domicile_token::{Audience, Claims, Subject};
use domicile_wire::{Bearer, Call, Caller, KEYS_PATH, RankAnswer, Reply, Request};

use super::desk::Desk;
use crate::process::{Process, exchange, run, serve};
use crate::world::{World, repository};

struct Deployed {
    world: World,
    signer: SigningKey,
    identity: TokenKey,
}

impl Deployed {
    fn new() -> Self {
        let (world, signer) = (World::new(), SigningKey::generate());
        let identity = TokenKey::p256("this-year").unwrap();
        world.patient();
        let budgets = std::fs::read_to_string(world.at("patient.toml")).unwrap();
        let (keys, jwk, tokens) = (world.at("keys"), world.at("cell.jwk"), world.at("tokens.json"));
        let sections =
            format!("[seal]\nkey_dir = {keys:?}\nsigning_key = {jwk:?}\n[tokens]\nkeys = {tokens:?}\n");
        world.write("config.toml", &format!("{budgets}\n{sections}"));
        world.write("cell.jwk", &signer.to_jwk());
        world.write("tokens.json", &TokenKey::key_set([&identity]).unwrap());
        Self { world, signer, identity }
    }

    fn command(&self) -> Command {
        serve(&self.world, "eu-a", &["--config", self.world.at("config.toml").to_str().unwrap()])
    }

    fn keys(&self, cell: &Process, now_s: i64) -> Vec<PublicConfig> {
        let reply = exchange(cell.address, "GET", KEYS_PATH, b"");
        assert!(reply.head.contains("cache-control: public, max-age=3600"), "{}", reply.head);
        let text = String::from_utf8(reply.body).unwrap();
        let statement = KeyStatement::open(&text, "eu-a", &[self.signer.verifying_key()], now_s).unwrap();
        read_list(&statement.list().unwrap()).unwrap()
    }

    fn request(&self, call: Call, now_s: i64) -> Request {
        let claims = Claims {
            iss: "https://shop.example".into(),
            sub: Subject::new("canary-shopper").unwrap(),
            aud: Audience::Several(vec!["eu".into(), "shop".into()]),
            exp: now_s + 600,
            iat: now_s,
            nbf: None,
            class: "eu_only".into(),
            tenant: "shop".into(),
            home: "eu-a".into(),
            anonymous: true,
        };
        let caller = Caller::Token(Bearer::new(&self.identity.sign(&claims).unwrap()).unwrap());
        Request { pin: self.world.pin(1), caller, date_s: Some(now_s), budget_ms: None, call }
    }
}

#[test]
fn keys_outlive_a_restart_and_the_log_says_nothing_of_a_shopper() {
    let deployed = Deployed::new();
    let now_s = Clock::start().unix_seconds();
    let cell = Process::start_quiet(deployed.command());
    let keys = deployed.keys(&cell, now_s);
    for call in [Desk::rank(), Call::Export(None), Call::Erase] {
        let request = deployed.request(call, now_s).encode();
        let (sealed, opener) = Sealer::new(&keys, None).unwrap().seal(&request).unwrap();
        let reply = cell.post_as(REQUEST_TYPE, &sealed);
        assert_eq!((reply.status, reply.body.len()), (200, 14_336), "home holds 24 items");
        assert!(reply.head.contains("content-type: message/ohttp-res"), "{}", reply.head);
        let inner = Reply::decode(&opener.open(&reply.body).unwrap()).unwrap();
        assert!(inner.status == 200 && inner.receipt.is_some());
    }
    let log = cell.stop_and_read();
    assert!(log.contains("sealing keys made=2 deleted=0"), "{log}");
    assert!(!log.contains("canary") && !log.contains("this-year"), "{log}");

    let again = Process::start(deployed.command());
    assert!(deployed.keys(&again, now_s) == keys, "a restart makes nothing new");
    // What was sealed before it is opened after it.
    let request = deployed.request(Desk::rank(), now_s).encode();
    let (sealed, opener) = Sealer::new(&keys, None).unwrap().seal(&request).unwrap();
    let reply = again.post_as(REQUEST_TYPE, &sealed);
    let inner = Reply::decode(&opener.open(&reply.body).unwrap()).unwrap();
    assert!(inner.parse::<RankAnswer>().unwrap().is_ok());
    assert_eq!(again.stop(), Some(0));
}

#[test]
fn a_start_without_what_sealing_needs_says_what() {
    let deployed = Deployed::new();
    let fails = |parts: &[&str]| {
        let ended = run(deployed.command());
        assert_eq!((ended.code, ended.out.as_str()), (Some(3), ""), "{}", ended.err);
        assert!(parts.iter().all(|part| ended.err.contains(part)), "{}", ended.err);
        assert!(ended.err.trim_end().lines().count() == 1, "{}", ended.err);
    };
    deployed.world.write("cell.jwk", &deployed.signer.verifying_key().to_jwk());
    fails(&["cell.jwk", "a secret one is needed"]);
    std::fs::remove_file(deployed.world.at("cell.jwk")).unwrap();
    fails(&["cell.jwk", "[seal] signing_key"]);
    deployed.world.write("cell.jwk", &deployed.signer.to_jwk());
    deployed.world.write("tokens.json", &deployed.identity.to_jwk().unwrap());
    fails(&["tokens.json", "JWK Set"]);
    let secret = format!("{{\"keys\":[{}]}}", *deployed.identity.to_jwk().unwrap());
    deployed.world.write("tokens.json", &secret);
    fails(&["tokens.json", "holds a secret"]);
    deployed.world.write("tokens.json", &TokenKey::key_set([&deployed.identity]).unwrap());
    // Clients check the cell's keys with the signing key that the topology names for it.
    let topology = std::fs::read_to_string(deployed.world.at("topology.toml")).unwrap();
    let other = SigningKey::generate().verifying_key().to_jwk();
    let place = "authority = \"127.0.0.1:7101\"\n";
    assert!(topology.contains(place));
    let named = topology.replacen(place, &format!("{place}signing_key = '{other}'\n"), 1);
    deployed.world.write("topology.toml", &named);
    fails(&["cell.jwk", "the topology names", "clients would refuse"]);
    deployed.world.write("topology.toml", &topology);
    deployed.world.write("keys", "a file in the directory's place");
    fails(&["no sealing key", "[seal] key_dir"]);
}

#[test]
fn what_is_published_with_the_demo_is_refused_beyond_loopback() {
    let deployed = Deployed::new();
    let config = deployed.world.at("config.toml");
    let fails = |part: &str| {
        let more = ["--listen", "0.0.0.0:0", "--config", config.to_str().unwrap()];
        let ended = run(serve(&deployed.world, "eu-a", &more));
        assert_eq!((ended.code, ended.out.as_str()), (Some(8), ""), "{}", ended.err);
        assert!(ended.err.contains(part), "{}", ended.err);
    };
    let demo = |name: &str| std::fs::read_to_string(repository("deploy/demo/keys").join(name)).unwrap();
    deployed.world.write("tokens.json", &demo("token-keys.json"));
    fails("key \"demo\" is the demo's");
    deployed.world.write("tokens.json", &TokenKey::key_set([&deployed.identity]).unwrap());
    deployed.world.write("cell.jwk", &demo("edge.jwk"));
    fails("is the demo's key 8e779b5c47d9eccc");
}
