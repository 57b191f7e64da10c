use proptest::prelude::*;

use super::{Answerer, KeyRing, RingError, SealRefusal};
use crate::config::{encode_list, read_list};
use crate::receiver::tests::{bytes, example};
use crate::{Kem, SealError, Sealer, SealingKey, size};

fn key(id: u8, kem: Kem) -> SealingKey {
    SealingKey::from_seed(id, kem, 0, [id.wrapping_add(1); 32])
}

fn sealer(key: &SealingKey) -> Sealer {
    Sealer::new(&read_list(&encode_list([&key.config().unwrap()[..]])).unwrap(), None).unwrap()
}

fn refusal(ring: &KeyRing, sealed: &[u8]) -> SealRefusal {
    ring.open(sealed).err().unwrap()
}

#[test]
fn a_request_and_its_answer_go_there_and_back_in_one_size() {
    let keys = [key(1, Kem::X25519), key(2, Kem::P256)];
    let ring = KeyRing::new(&keys).unwrap();
    for key in &keys {
        for message in [&b"a"[..], &vec![7; size::request_room(key.kem())]] {
            let (sealed, opener) = sealer(key).seal(message).unwrap();
            assert_eq!(sealed.len(), size::REQUEST);
            let opened = ring.open(&sealed).unwrap();
            assert!(opened.message.starts_with(message));
            assert!(opened.message[message.len()..].iter().all(|&byte| byte == 0));
            let answer = opened.answerer.seal(b"shelf", 8_192).ok().unwrap();
            assert_eq!(answer.len(), 8_192);
            assert!(opener.open(&answer).unwrap().starts_with(b"shelf\0"));
        }
    }
}

#[test]
fn what_does_not_fit_is_said_with_both_numbers() {
    let key = key(1, Kem::X25519);
    let ring = KeyRing::new([&key]).unwrap();
    let room = size::request_room(Kem::X25519);
    let too_long = sealer(&key).seal(&vec![1; room + 1]).err().unwrap();
    assert_eq!(too_long, SealError::TooLong { found: room + 1, room });

    let (sealed, opener) = sealer(&key).seal(b"x").unwrap();
    let (answerer, error) = ring.open(&sealed).unwrap().answerer.seal(&[1; 1_000], 1_024).err().unwrap();
    assert_eq!((error.found, error.room), (1_000, 992));
    let answer = answerer.seal(b"too long", 1_024).ok().unwrap();
    assert!(opener.open(&answer).unwrap().starts_with(b"too long"), "a refusal still has a way back");
}

#[test]
fn each_refusal_has_its_reason() {
    let (old, new) = (key(1, Kem::X25519), key(2, Kem::X25519));
    let ring = KeyRing::new([&new]).unwrap();
    assert_eq!(refusal(&ring, &sealer(&old).seal(b"x").unwrap().0), SealRefusal::UnknownKey);

    let (sealed, _) = sealer(&new).seal(b"x").unwrap();
    assert_eq!(refusal(&ring, &sealed[..4_095]), SealRefusal::Size);
    assert_eq!(refusal(&ring, &[&sealed[..], &[0]].concat()), SealRefusal::Size);
    assert_eq!(refusal(&ring, &[]), SealRefusal::Size);
    for (at, byte) in [(2, 0x10), (4, 2), (6, 3)] {
        let mut other = sealed.clone();
        other[at] = byte;
        assert_eq!(refusal(&ring, &other), SealRefusal::Suite);
    }
    // Another cell's key of the same id: opaque, like any other damage.
    let same_id = SealingKey::from_seed(2, Kem::X25519, 0, [77; 32]);
    assert_eq!(refusal(&ring, &sealer(&same_id).seal(b"x").unwrap().0), SealRefusal::Broken);
}

#[test]
fn a_ring_needs_keys_of_different_ids() {
    assert_eq!(KeyRing::new([]).err(), Some(RingError::Empty));
    let (a, b) = (key(3, Kem::X25519), key(3, Kem::P256));
    assert_eq!(KeyRing::new([&a, &b]).err(), Some(RingError::Twice(3)));
}

#[test]
fn answers_of_two_requests_cannot_be_swapped() {
    let key = key(1, Kem::X25519);
    let ring = KeyRing::new([&key]).unwrap();
    let (first, first_opener) = sealer(&key).seal(b"1").unwrap();
    let (second, second_opener) = sealer(&key).seal(b"2").unwrap();
    assert_ne!(first, second);
    let to_first = ring.open(&first).unwrap().answerer.seal(b"1", 1_024).ok().unwrap();
    let to_second = ring.open(&second).unwrap().answerer.seal(b"2", 1_024).ok().unwrap();
    assert_eq!(first_opener.open(&to_second), Err(SealError::Broken));
    assert_eq!(second_opener.open(&to_first), Err(SealError::Broken));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_flipped_bit_is_noticed(at in 0usize..size::REQUEST, bit in 0u8..8) {
        let key = key(1, Kem::X25519);
        let ring = KeyRing::new([&key]).unwrap();
        let (mut sealed, _) = sealer(&key).seal(b"x").unwrap();
        sealed[at] ^= 1 << bit;
        // X25519 ignores the highest bit of a public key (RFC 7748, section 5), but HPKE puts the key's bytes into its
        // context, so even that is noticed.
        prop_assert!(ring.open(&sealed).is_err());
    }

    #[test]
    fn noise_is_refused(bytes in prop::collection::vec(any::<u8>(), size::REQUEST), id in any::<u8>()) {
        let ring = KeyRing::new([&key(id, Kem::P256)]).unwrap();
        prop_assert!(ring.open(&bytes).is_err());
    }

    #[test]
    fn any_altered_answer_is_noticed(at in 0usize..1_024, bit in 0u8..8) {
        let key = key(1, Kem::P256);
        let ring = KeyRing::new([&key]).unwrap();
        let (sealed, opener) = sealer(&key).seal(b"x").unwrap();
        let mut answer = ring.open(&sealed).unwrap().answerer.seal(b"y", 1_024).ok().unwrap();
        answer[at] ^= 1 << bit;
        prop_assert_eq!(opener.open(&answer), Err(SealError::Broken));
    }
}

/// The answer of RFC 9458's example (appendix A), under its nonce.
#[test]
fn it_answers_the_example_of_oblivious_http() {
    let (enc, exporter) = example();
    let nonce = bytes("c789e7151fcba46158ca84b04464910d").try_into().unwrap();
    let answer = Answerer { enc, exporter }.seal_under(nonce, &bytes("0140c8"), 3).unwrap();
    assert_eq!(answer, bytes("c789e7151fcba46158ca84b04464910d86f9013e404feea014e7be4a441f234f857fbd"));
}
