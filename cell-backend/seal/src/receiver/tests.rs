use super::*;

/// One test vector of base mode.
struct Vector {
    kem: Kem,
    seed: &'static str,
    public: &'static str,
    enc: &'static str,
    shared: &'static str,
    key: &'static str,
    nonce: &'static str,
    exported: &'static str,
}

/// RFC 9180, appendices A.1.1 and A.3.1; `info` is the same in all.
const VECTORS: [Vector; 2] = [
    Vector {
        kem: Kem::X25519,
        seed: "6db9df30aa07dd42ee5e8181afdb977e538f5e1fec8a06223f33f7013e525037",
        public: "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d",
        enc: "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431",
        shared: "fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc",
        key: "4531685d41d65f03dc48f6b8302c05b0",
        nonce: "56d890e5accaaf011cff4b7d",
        exported: "3853fe2b4035195a573ffc53856e77058e15d9ea064de3e59f4961d0095250ee",
    },
    Vector {
        kem: Kem::P256,
        seed: "668b37171f1072f3cf12ea8a236a45df23fc13b82af3609ad1e354f6ef817550",
        public: "04fe8c19ce0905191ebc298a9245792531f26f0cece2460639e8bc39cb7f706a826a779b4cf969b8a0e539c7f62fb3d30ad6aa8f80e30f1d128aafd68a2ce72ea0",
        enc: "04a92719c6195d5085104f469a8b9814d5838ff72b60501e2c4466e5e67b325ac98536d7b61a1af4b78e5b7f951c0900be863c403ce65c9bfcb9382657222d18c4",
        shared: "c0d26aeab536609a572b07695d933b589dcf363ff9d93c93adea537aeabb8cb8",
        key: "868c066ef58aae6dc589b6cfdd18f97e",
        nonce: "4e0bc5018beba4bf004cca59",
        exported: "5e9bc3d236e1911d95e65b576a8a86d478fb827e8bdfe77b741b289890490d4d",
    },
];
const INFO: &str = "4f6465206f6e2061204772656369616e2055726e";

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

#[test]
fn it_derives_and_agrees_as_the_rfc_has_it() {
    for vector in VECTORS {
        let receiver = Receiver::derive(vector.kem, &bytes(vector.seed)).unwrap();
        assert_eq!(receiver.public(), bytes(vector.public), "{}", vector.kem);
        let enc = bytes(vector.enc);
        assert_eq!(receiver.decapsulate(&enc).unwrap().as_slice(), bytes(vector.shared));
        let context = receiver.setup(&enc, &receiver.context(&bytes(INFO))).unwrap();
        assert_eq!((context.key.to_vec(), context.nonce.to_vec()), (bytes(vector.key), bytes(vector.nonce)));
        let mut exported = [0; 32];
        context.exporter.export(&[], &mut exported).unwrap();
        assert_eq!(exported.as_slice(), bytes(vector.exported));
    }
}

#[test]
fn what_is_no_point_is_refused() {
    let x25519 = Receiver::derive(Kem::X25519, &[1; 32]).unwrap();
    let p256 = Receiver::derive(Kem::P256, &[1; 32]).unwrap();
    // All zeros is a point of small order: the shared secret would be zero whatever the key (RFC 9180, section 7.1.4).
    for (receiver, enc) in [
        (&x25519, vec![0; 32]),
        (&x25519, vec![9; 31]),
        (&p256, vec![4; 65]),
        (&p256, [&[4][..], &[0; 64]].concat()),
        (&p256, vec![0]),
        (&p256, vec![]),
    ] {
        assert!(receiver.setup(&enc, &receiver.context(b"")).is_err(), "{enc:?}");
    }
    let mut point = p256.public().to_vec();
    assert!(p256.setup(&point, &p256.context(b"")).is_ok());
    for form in [2, 3, 6, 7] {
        point[0] = form;
        assert!(p256.setup(&point, &p256.context(b"")).is_err(), "a compressed or hybrid form: {form}");
    }
}

#[test]
fn its_debug_shows_no_secret() {
    assert_eq!(format!("{:?}", Receiver::derive(Kem::P256, &[1; 32]).unwrap()), "Receiver(p256, secret)");
}

/// The request of RFC 9458's example (appendix A), opened: its encapsulated key, and what the answer's secret comes of.
pub(crate) fn example() -> (Vec<u8>, Exporter) {
    let secret = bytes("3c168975674b2fa8e465970b79c8dcf09f1c741626480bd4c6162fc5b6a98e1a");
    let private = PrivateKey::from_private_key(&agreement::X25519, &secret).unwrap();
    let receiver = Receiver::of(Kem::X25519, private).unwrap();
    let enc = bytes("4b28f881333e7c164ffc499ad9796f877f4e1051ee6d31bad19dec96c208b472");
    let mut message =
        bytes("6374e469135906992e1268c594d2a10c695d858c40a026e7965e7d86b83dd440b2c0185204b4d63525");
    let info = [b"message/bhttp request\0".as_slice(), &Kem::X25519.header(1)].concat();
    let exporter = receiver.setup(&enc, &receiver.context(&info)).unwrap().open(&mut message).unwrap();
    assert_eq!(message, bytes("00034745540568747470730b6578616d706c652e636f6d012f"));
    (enc, exporter)
}
