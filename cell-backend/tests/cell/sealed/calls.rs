use domicile_ladder::{FeatureState, Rung};
use domicile_receipt::Receipt;
use domicile_wire::{
    Call, ErasureAnswer, ErasureState, Event, EventKind, EventsAnswer, ExportPage, Group, PageToken,
    RankAnswer, Reply, Shown,
};

use super::desk::Desk;

fn answer<T: serde::de::DeserializeOwned>(reply: &Reply) -> T {
    reply.parse::<T>().unwrap().unwrap_or_else(|problem| panic!("refused: {problem:?}"))
}

fn event(id: &str, item: &str, time_s: i64) -> Event {
    Event {
        id: id.into(),
        kind: EventKind::Purchase,
        item: Some(item.into()),
        time_s,
        rung: None,
        shown: None,
        client_ms: None,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_goes_there_and_back() {
    let desk = Desk::new();
    let first: RankAnswer = answer(&desk.ask(&desk.request(Desk::rank())).await);
    assert_eq!((first.features.state, first.items.len()), (FeatureState::None, 24));
    let items = [first.items[0].id.clone(), first.items[5].id.clone()];

    events_are_taken_once_and_ranked_with(&desk, &items).await;
    a_receipt_covers_request_and_answer(&desk).await;
    an_export_is_everything_in_pages(&desk, &items).await;
    an_erasure_is_the_end_of_it(&desk, &items).await;

    let metrics = desk.metrics();
    assert!(metrics.contains("domicile_cell_seal_seconds_count{part=\"receipt\"} "), "{metrics}");
    assert!(!metrics.contains("someone") && !metrics.contains("purchase-"), "no shopper, no event");
    for line in [
        "domicile_cell_events_total{outcome=\"accepted\"} 4\n",
        "domicile_cell_events_total{outcome=\"duplicate\"} 3\n",
        "domicile_cell_events_total{outcome=\"erased\"} 1\n",
        "domicile_cell_impressions_total{rung=\"compact\",shown=\"used\"} 1\n",
        "domicile_cell_calls_total{call=\"erasure\"} 2\n",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
}

async fn events_are_taken_once_and_ranked_with(desk: &Desk, items: &[String; 2]) {
    let shown = Event {
        kind: EventKind::Impression,
        rung: Some(Rung::Compact),
        shown: Some(Shown::Used),
        client_ms: Some(180),
        ..event("impression-1", &items[0], desk.now_s())
    };
    let batch: Vec<Event> = items
        .iter()
        .enumerate()
        .map(|(at, item)| event(&format!("purchase-{at}"), item, desk.now_s() - 60))
        .chain([shown])
        .collect();
    for expected in [(3, 0), (0, 3)] {
        let taken: EventsAnswer = answer(&desk.ask(&desk.request(Call::Events(batch.clone()))).await);
        assert_eq!((taken.accepted, taken.duplicates), expected);
    }
    let next: RankAnswer = answer(&desk.ask(&desk.request(Desk::rank())).await);
    assert_eq!((next.features.state, next.candidates.own), (FeatureState::Session, 2));
}

async fn a_receipt_covers_request_and_answer(desk: &Desk) {
    let (reply, sealed) = desk.ask_bytes(&desk.request(Desk::rank()).encode()).await;
    let receipt = reply.receipt.clone().unwrap();
    assert!(!receipt.contains('\n'), "compact");
    let keys = [desk.signer.verifying_key()];
    let receipt = Receipt::open(&receipt, &keys).unwrap();
    receipt.covers(&reply.content, Some(&sealed), Some("eu-a")).unwrap();
    let ranked: RankAnswer = answer(&reply);
    assert_eq!((receipt.class.as_str(), receipt.boundary.as_str()), ("eu_only", "eu"));
    assert_eq!((receipt.rung.as_str(), receipt.snapshot), (ranked.rung.as_str(), Some(ranked.snapshot)));
    assert!(reply.date_s.unwrap().abs_diff(desk.now_s()) < 60);
}

async fn an_export_is_everything_in_pages(desk: &Desk, items: &[String; 2]) {
    let page: ExportPage = answer(&desk.ask(&desk.request(Call::Export(None))).await);
    let mut expected = items.to_vec();
    expected.sort();
    assert_eq!(page.items.iter().map(|item| item.item.clone()).collect::<Vec<_>>(), expected);
    assert_eq!((page.event_ids, page.next, page.erased_s), (3, None, None));
    let after = PageToken { group: Group::Session, item: expected[0].clone() };
    let rest: ExportPage = answer(&desk.ask(&desk.request(Call::Export(Some(after)))).await);
    assert_eq!(rest.items.iter().map(|item| &item.item).collect::<Vec<_>>(), [&expected[1]]);
}

async fn an_erasure_is_the_end_of_it(desk: &Desk, items: &[String; 2]) {
    assert!(!desk.cell.last_good.is_empty());
    let mut erased_s = 0;
    for _ in 0..2 {
        let reply = desk.ask(&desk.request(Call::Erase)).await;
        let erased: ErasureAnswer = answer(&reply);
        // The class has another cell, and this one has not asked it.
        assert_eq!((erased.state, erased.pending), (ErasureState::Pending, vec!["eu-b".to_owned()]));
        assert!(erased.erased_s >= erased_s);
        erased_s = erased.erased_s;
        let receipt = Receipt::open(&reply.receipt.clone().unwrap(), &[desk.signer.verifying_key()]).unwrap();
        receipt.covers(&reply.content, None, Some("eu-a")).unwrap();
        assert_eq!((receipt.rung.as_str(), receipt.snapshot), ("erasure", None));
    }
    assert!(desk.cell.last_good.is_empty());
    let page: ExportPage = answer(&desk.ask(&desk.request(Call::Export(None))).await);
    assert_eq!((page.items.len(), page.event_ids, page.updated_s), (0, 0, None));
    let next: RankAnswer = answer(&desk.ask(&desk.request(Desk::rank())).await);
    assert_eq!(next.features.state, FeatureState::None);

    let late = event("purchase-0", &items[0], erased_s);
    let new = event("purchase-9", &items[0], erased_s + 1);
    let taken: EventsAnswer = answer(&desk.ask(&desk.request(Call::Events(vec![late, new]))).await);
    assert_eq!((taken.accepted, taken.duplicates, taken.erased), (1, 0, 1));
}
