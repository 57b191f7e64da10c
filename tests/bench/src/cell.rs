//! A stand-in cell: takes a request, answers 4 KiB. It costs as little as a server can, so that what is measured is
//! the way to it.

use std::convert::Infallible;
use std::net::SocketAddr;

use anyhow::Context as _;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

/// A sealed request's and a sealed answer's size, in bytes.
pub(crate) const SIZE: usize = 4_096;

/// Starts it on a thread and a port of its own; it lives as long as the process.
pub(crate) fn start() -> anyhow::Result<SocketAddr> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").context("no port for the stand-in cell")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    std::thread::spawn(move || runtime.block_on(serve(listener)));
    Ok(address)
}

async fn serve(listener: std::net::TcpListener) {
    let Ok(listener) = TcpListener::from_std(listener) else { return };
    let mut open = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let _ = stream.set_nodelay(true);
        let connection = hyper::server::conn::http1::Builder::new();
        open.spawn(connection.serve_connection(TokioIo::new(stream), service_fn(answer)));
        while open.try_join_next().is_some() {}
    }
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    static BODY: [u8; SIZE] = [b's'; SIZE];
    // A body that breaks off is answered like any other: nobody is left to read the answer.
    let _ = request.into_body().collect().await;
    Ok(Response::new(Full::from(&BODY[..])))
}
