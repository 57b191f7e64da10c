//! What hangs costs a rung and never the answer, and what has no time left is not begun.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, StatusCode};
use domicile_cell::cell::{Cell, Parts, Reach};
use domicile_cell::clock::Clock;
use domicile_cell::config::Config;
use domicile_cell::features::{
    Doing, FeatureStore, Group, ItemHistory, Kept, Kind, Reading, Row, Standing, StoreError, Taken,
};
use domicile_cell::gateway::Gateway;
use domicile_cell::overlay;
use domicile_cell::pipeline::Way;
use domicile_cell::ranker::Ranker;
use domicile_cell::ranker::speeds::Task;
use domicile_cell::retrieval::exact::Exact;
use domicile_cell::retrieval::{CandidateIndex, Scored};
use domicile_cell::snapshots;
use domicile_cell::snapshots::items::ItemIndex;
use domicile_ladder::{FeatureState, Reason, Rung};
use domicile_topology::{KeyUse, Topology};
use domicile_wire::{
    Event, GATEWAY_PATH, InnerRequest, RankAnswer, RankRequest, ShopperId, decode_response, encode_request,
};

use tower::Service as _;

use crate::world::{World, runtime};

/// How long a search hangs: several budgets of a cell.
const HANG: Duration = Duration::from_millis(2_700);
/// Far beyond what work takes: a busy machine may take its time, and what is asserted is what hanging costs.
const BUDGET: Duration = Duration::from_millis(1_020);
const SEARCHES: u32 = 2;

/// What a part does when it is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Does {
    Work,
    Hang,
    Fail,
}

struct Store {
    does: Does,
    row: Row,
    reads: Arc<AtomicUsize>,
}

struct Index {
    does: Does,
    exact: Exact,
    searches: Arc<AtomicUsize>,
}

impl FeatureStore for Store {
    fn read<'a>(&'a self, _: &'a ShopperId) -> Reading<'a> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        Box::pin(async {
            match self.does {
                Does::Work => Ok(Some(self.row.clone())),
                Does::Hang => std::future::pending().await,
                Does::Fail => Err(StoreError::Row),
            }
        })
    }

    fn take<'a>(&'a self, _: &'a ShopperId, _: Standing, _: Vec<Event>, _: i64) -> Doing<'a, Taken> {
        Box::pin(async { Err(StoreError::Stopping) })
    }

    fn kept<'a>(&'a self, _: &'a ShopperId) -> Doing<'a, Kept> {
        Box::pin(async { Err(StoreError::Stopping) })
    }

    fn erase<'a>(&'a self, _: &'a ShopperId, _: i64) -> Doing<'a, i64> {
        Box::pin(async { Err(StoreError::Stopping) })
    }

    fn expire(&self, _: i64) -> Doing<'_, u64> {
        Box::pin(async { Ok(0) })
    }
}

impl CandidateIndex for Index {
    fn nearest(&self, query: &[f32], count: usize) -> Vec<Scored> {
        self.searches.fetch_add(1, Ordering::Relaxed);
        if self.does == Does::Hang {
            std::thread::sleep(HANG);
        }
        self.exact.nearest(query, count)
    }

    fn score(&self, query: &[f32], item: ItemIndex) -> f32 {
        self.exact.score(query, item)
    }

    fn name(&self) -> &'static str {
        "counting"
    }
}

/// A cell in this process, with a store and an index that count.
struct Counting {
    world: World,
    cell: Cell,
    reads: Arc<AtomicUsize>,
    searches: Arc<AtomicUsize>,
}

impl Counting {
    fn new(store: Does, index: Does, items: &[&str]) -> Self {
        let world = World::new();
        let mut topology = Topology::parse(&world.topology("")).unwrap();
        topology.clocks.cell_budget_ms = u32::try_from(BUDGET.as_millis()).unwrap();
        let clock = Clock::start();
        let snapshot =
            snapshots::load(&world.at("snapshot"), &topology.keys_for(KeyUse::Snapshot)).ok().unwrap();
        let overlay_keys = topology.keys_for(KeyUse::Overlay);
        let file = world.at("overlay.dsse.json");
        let overlay = overlay::load(&file, &overlay_keys, &snapshot, &topology, clock.unix_seconds());
        let ranker = Ranker::start(runtime(), &snapshot, 1, 8, clock).ok().unwrap();
        let known: Vec<String> =
            snapshot.items.iter().step_by(700).take(20).map(|(_, item)| item.id.clone()).collect();
        let items: Vec<String> =
            if items.is_empty() { known } else { items.iter().map(ToString::to_string).collect() };
        let now_s = clock.unix_seconds();
        let history = |id: &String| ItemHistory::begin(id, Kind::Purchase, now_s - 86_400);
        let row = Row {
            updated_s: now_s,
            profile: Group { items: items.iter().map(history).collect() },
            ..Row::default()
        };
        let (reads, searches) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
        let mut config = Config::default();
        config.limits.searches = SEARCHES;
        config.budgets.features_ms = 60;
        config.budgets.query_ms = 300;
        config.budgets.candidates_ms = 60;
        config.budgets.rank_ms = 600;
        let parts = Parts {
            store: Arc::new(Store { does: store, row, reads: Arc::clone(&reads) }),
            index: Arc::new(Index {
                does: index,
                exact: Exact::new(Arc::clone(&snapshot.embeddings)),
                searches: Arc::clone(&searches),
            }),
            snapshot,
            overlay: overlay.ok().unwrap(),
            ranker,
            sealing: None,
            tokens: None,
        };
        let id = topology.cell_named("eu-a").unwrap().id;
        let cell = Cell::new(topology, (id, "eu-a".into()), Reach::Loopback, config, clock, parts);
        Self { world, cell, reads, searches }
    }

    async fn ask(&self, change: impl FnOnce(&mut InnerRequest)) -> RankAnswer {
        let mut request = InnerRequest {
            pin: self.world.pin(1),
            shopper: ShopperId::new("someone"),
            budget_ms: None,
            rank: RankRequest { locale: "de-DE".into(), slot: "home".into(), anchor: vec![] },
        };
        change(&mut request);
        let arrived = self.cell.clock.now();
        let answer = self.cell.answer(arrived, &encode_request(&request), Way::Plain).await.unwrap();
        decode_response(&answer).unwrap().unwrap()
    }

    fn begun(&self) -> (usize, usize, u64) {
        let runs = Task::ALL.into_iter().map(|task| self.cell.ranker.speeds().runs(task)).sum();
        (self.reads.load(Ordering::Relaxed), self.searches.load(Ordering::Relaxed), runs)
    }

    fn counted(&self, series: &str) -> u64 {
        let text = self.cell.telemetry.render(&[]);
        let line = text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {series} in {text}")).parse().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_hangs_costs_a_rung_and_what_has_no_time_is_not_begun() {
    no_time_begins_nothing().await;
    a_store_that_gives_nothing().await;
    an_index_that_hangs().await;
    a_history_of_another_catalogue().await;
    what_is_too_late_is_counted_once().await;
}

async fn no_time_begins_nothing() {
    let counting = Counting::new(Does::Work, Does::Work, &[]);
    let shown = counting.ask(|_| {}).await;
    assert_eq!((shown.rung, shown.features.state), (Rung::Full, FeatureState::Fresh));
    assert_eq!(counting.begun(), (1, 1, 2), "one read, one search, tower and ranker");

    let (same, other) = (vec![], vec![shown.items[0].id.clone()]);
    for (anchor, rung) in [(same, Rung::LastGood), (other, Rung::List)] {
        let hurried = |request: &mut InnerRequest| {
            request.budget_ms = Some(0);
            request.rank.anchor = anchor;
        };
        let answer = counting.ask(hurried).await;
        assert_eq!((answer.rung, answer.reason), (rung, Reason::DeadlineTooNear));
        assert_eq!((answer.items.len(), answer.features.state), (24, FeatureState::Failed));
    }
    assert_eq!(counting.begun(), (1, 1, 2), "nothing more");
    assert_eq!(counting.counted("domicile_cell_feature_reads_total{outcome=\"not-started\"}"), 2);
}

async fn a_store_that_gives_nothing() {
    for (does, outcome) in [(Does::Hang, "late"), (Does::Fail, "failed")] {
        let counting = Counting::new(does, Does::Work, &[]);
        let answer = counting.ask(|_| {}).await;
        assert_eq!((answer.rung, answer.reason), (Rung::Compact, Reason::FeaturesFailed));
        assert_eq!((answer.features.state, answer.items.len()), (FeatureState::Failed, 24));
        let series = format!("domicile_cell_feature_reads_total{{outcome=\"{outcome}\"}}");
        assert_eq!(counting.counted(&series), 1);
        assert!(counting.cell.last_good.is_empty(), "no last good ranking without the shopper's history");
    }
}

async fn an_index_that_hangs() {
    let counting = Counting::new(Does::Work, Does::Hang, &[]);
    for _ in 0..4 {
        let answer = counting.ask(|_| {}).await;
        assert_eq!((answer.rung, answer.items.len()), (Rung::Full, 24));
        assert_eq!((answer.candidates.own, answer.candidates.ann, answer.candidates.popular), (20, 0, 60));
        assert!(Duration::from_micros(answer.elapsed_us) < BUDGET);
    }
    assert_eq!(counting.begun().1, SEARCHES as usize, "those that hang keep their places");
    assert_eq!(counting.counted("domicile_cell_searches_total{outcome=\"late\"}"), 4);
}

/// A read that may take the whole deadline ends in a list that is late, or in none: which of the two is a matter of
/// microseconds, and it is one of them.
async fn what_is_too_late_is_counted_once() {
    let mut counting = Counting::new(Does::Hang, Does::Work, &[]);
    counting.cell.config.budgets.features_ms = 100 * u32::try_from(BUDGET.as_millis()).unwrap();
    let pin = counting.world.pin(1);
    let rank = RankRequest { locale: "de-DE".into(), slot: "home".into(), anchor: vec![] };
    let request = InnerRequest { pin, shopper: ShopperId::new("someone"), budget_ms: None, rank };
    let cell = Arc::new(counting.cell);
    let mut routes = Gateway::new(Arc::clone(&cell)).routes();
    let mut late = 0;
    for _ in 0..4 {
        let request =
            Request::post(GATEWAY_PATH).header("host", "cell").body(Body::from(encode_request(&request)));
        let status = routes.call(request.unwrap()).await.unwrap().status();
        late += u64::from(status == StatusCode::SERVICE_UNAVAILABLE);
    }
    let text = cell.telemetry.render(&[]);
    let missed = 4 - late;
    assert!(text.contains(&format!("domicile_cell_turned_away_total{{cause=\"late\"}} {late}\n")), "{text}");
    assert!(text.contains(&format!("domicile_cell_deadline_missed_total {missed}\n")), "{text}");
}

async fn a_history_of_another_catalogue() {
    let counting = Counting::new(Does::Work, Does::Work, &["gone-1", "gone-2"]);
    let answer = counting.ask(|_| {}).await;
    assert_eq!((answer.features.state, answer.reason), (FeatureState::None, Reason::NoFeatures));
    assert_eq!(counting.counted("domicile_cell_feature_reads_total{outcome=\"done\"}"), 1);
}
