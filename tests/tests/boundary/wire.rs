//! What a cell is sent beside the sealed bytes: exactly these lines, whatever else came to the edge.

use std::collections::BTreeSet;

use super::message::Message;
use super::recorder::Recorder;
use super::stage::Stage;

/// What is wrong with a request from edge to cell; nothing when it is one of the two that there are.
fn wrong(request: &Message, cell: &Recorder) -> Option<String> {
    let host = cell.address.to_string();
    let length = request.body.len().to_string();
    let (start, expected) = if request.start().starts_with("POST ") {
        let mut names =
            BTreeSet::from([("host", host.as_str()), ("content-type", domicile_seal::REQUEST_TYPE)]);
        // Nothing has no length: what somebody sent without a body.
        if !request.body.is_empty() {
            names.insert(("content-length", length.as_str()));
        }
        (format!("POST {} HTTP/1.1", domicile_wire::GATEWAY_PATH), names)
    } else {
        (format!("GET {} HTTP/1.1", domicile_wire::KEYS_PATH), BTreeSet::from([("host", host.as_str())]))
    };
    let names: BTreeSet<(&str, &str)> = request.headers().collect();
    let whole = request.raw.len() == request.head.len() + request.body.len();
    let sound =
        request.start() == start && names == expected && request.headers().count() == expected.len() && whole;
    (!sound).then(|| format!("{:?} and {} bytes", request.head, request.body.len()))
}

/// Every request of this run, those full of canaries included.
pub(crate) fn a_cell_sees_exactly_the_allowed_headers(stage: &Stage) {
    let (mut posts, mut keys) = (0, 0);
    for recorder in stage.cells.values() {
        for exchange in recorder.since(0) {
            assert_eq!(wrong(&exchange.request, recorder), None);
            // What a cell opened and answered in this whole run, whatever it was: one size each way.
            let answer = exchange.answered();
            if answer.value("content-type") == Some(domicile_seal::ANSWER_TYPE) {
                let answer_bytes = stage.world.topology.answer_bytes() as usize;
                let sizes = (exchange.request.body.len(), answer.body.len());
                assert_eq!(sizes, (domicile_seal::size::REQUEST, answer_bytes));
            }
            *(if exchange.is_post() { &mut posts } else { &mut keys }) += 1;
        }
    }
    assert!(posts > 20 && keys > 5, "{posts} sealed, {keys} for keys");

    // One line more, one line less, another type, another path: each is noticed.
    let recorder = stage.cell("eu-a");
    let good = recorder.since(0).into_iter().find(super::recorder::Exchange::is_post).unwrap().request;
    let edits: [(&str, &str); 5] = [
        ("\r\n\r\n", "\r\naccept: */*\r\n\r\n"),
        ("\r\n\r\n", "\r\nx-shopper: 17\r\n\r\n"),
        ("message/ohttp-req", "message/ohttp-req; shopper=17"),
        ("/gateway", "/gateway?shopper=17"),
        ("host:", "hosts:"),
    ];
    for (from, to) in edits {
        let head = good.head.replace(from, to);
        assert_ne!(head, good.head, "{from}");
        let raw = [head.as_bytes(), &good.body].concat();
        assert!(wrong(&Message { head, raw, ..good.clone() }, recorder).is_some(), "{to}");
    }
}
