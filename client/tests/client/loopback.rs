//! The real network: an edge and an identity service on loopback.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use domicile_client::{
    Ask, Cells, Client, Identity, IdentityError, ListError, Lost, Network, Outcome, Outside as _, Page, Seen,
};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::tricks::{Keys, Route, Sealed, answer, document, edge_statement};
use crate::world::{Shared, World};

const PATIENCE: Duration = Duration::from_secs(30);

/// The world's edge and its identity service, behind one real listener.
async fn serve(world: Shared) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move {
        let mut connections = tokio::task::JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            let world = world.clone();
            let service = service_fn(move |request| respond(world.clone(), request));
            connections.spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    tasks.detach_all();
    address
}

async fn respond(world: Shared, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Lost> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(|_| Lost::BrokeOff)?.to_bytes();
    let cookie = head.headers.get("cookie").map(|value| value.to_str().unwrap().to_owned());
    let said =
        |status: u16, body: String| Response::builder().status(status).body(Bytes::from(body)).unwrap();
    let path = head.uri.path();
    let answer = match path.split('/').collect::<Vec<_>>()[..] {
        ["", "v1", "shelf", locale, "home"] => {
            let mut list = said(200, format!(r#"{{"locale":"{locale}","items":[]}}"#));
            list.headers_mut().insert("domicile-outcome", "list".parse().unwrap());
            Ok(list)
        }
        ["", "v1", "route", "eu_only"] => document(&world.0, Route::Good).1,
        ["", "v1", "keys", "a"] => edge_statement(&world.0, 0, Keys::Good, false).1,
        ["", "v1", "sealed", "PIN", "a", "de-DE", "home"] => {
            assert!(head.headers.get("content-type").is_none() && head.headers.get("user-agent").is_none());
            answer(&world.0, &world.0.cells[0], true, &body, &Sealed::Answer).1
        }
        ["", "v1", "login"] => {
            let mut answer = said(204, String::new());
            answer.headers_mut().insert("set-cookie", "domicile_session=abc; HttpOnly".parse().unwrap());
            Ok(answer)
        }
        ["", "v1", "token"] if cookie.as_deref() == Some("domicile_session=abc") => Ok(said(
            200,
            format!(
                r#"{{"token":"aa.bb.cc","pin":"PIN","class":"eu_only","home":"a","not_after":{}}}"#,
                world.0.made_s + 600
            ),
        )),
        ["", "v1", "token"] => Ok(said(401, r#"{"code":"session-missing"}"#.into())),
        ["", "v1", "logout"] => Ok(said(204, String::new())),
        _ => Ok(said(404, r#"{"code":"unknown-route"}"#.into())),
    };
    answer.map(|answer| answer.map(Full::new))
}

#[tokio::test]
async fn a_shopper_logs_in_and_is_ranked() {
    let network = Network::new();
    let world = World::at(network.unix_seconds(), &["a"], &[]);
    let root = world.0.root.verifying_key();
    let address = serve(world).await;
    let origin = format!("http://{address}");
    let client = Client::new(&origin, vec![root], Seen::default(), network.clone());
    let deadline = client.deadline(PATIENCE);

    let page = Page::new("de-DE", "home").unwrap();
    assert_eq!(client.shelf(&page, deadline).await.unwrap()["locale"], "de-DE");
    let attic = Page::new("de-DE", "attic").unwrap();
    assert!(matches!(client.shelf(&attic, deadline).await, Err(ListError::Refused { status: 404, .. })));

    let mut identity = Identity::new(&origin, &network);
    let refused = identity.grant("de-DE", deadline).await.unwrap_err();
    assert_eq!(refused, IdentityError::Refused { status: 401, code: "session-missing".into() });
    identity.login("someone", deadline).await.unwrap();
    let grant = identity.grant("de-DE", deadline).await.unwrap();
    let ask = Ask { grant: &grant, page: &page, cells: Cells::Any, deadline };
    let Outcome::Answered(answered) = client.rank(ask, vec![]).await else { panic!("no answer") };
    assert_eq!((answered.answer.cell.as_str(), answered.attempts), ("a", 1));
    identity.logout(deadline).await.unwrap();
    assert!(identity.grant("de-DE", deadline).await.is_err());
}

#[tokio::test]
async fn nobody_there_is_lost_and_not_an_answer() {
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let client = Client::new(&format!("http://{nobody}"), vec![], Seen::default(), Network::new());
    let page = Page::new("de-DE", "home").unwrap();
    let lost = client.shelf(&page, client.deadline(PATIENCE)).await.unwrap_err();
    assert_eq!(lost, ListError::Lost(Lost::Unreachable));
}
