//! The guest's calls to cells, and the headers no guest may touch.

use std::sync::Arc;

use http::uri::Scheme;
use http::{HeaderName, Request, Response};
use http_body_util::BodyExt;
use wasmtime_wasi_http::{DEFAULT_FORBIDDEN_HEADERS, ForbiddenHeaderFilter, RequestOptions, WasiHttpHooks};

use super::{Body, BodyError};
use crate::inbound::strip;
use crate::outbound::{CallClocks, CallFailure, Outbound};
use crate::settings::Strip;

type Ending = Box<dyn Future<Output = Result<(), BodyError>> + Send>;

/// wasmtime's hooks for `wasi:http`, of one instance.
pub(super) struct Calls {
    outbound: Arc<Outbound>,
    forbidden: ForbiddenHeaderFilter,
}

impl Calls {
    pub(super) fn new(outbound: Arc<Outbound>, strip: Strip) -> Self {
        let forbidden: ForbiddenHeaderFilter = match strip {
            Strip::On => Arc::new(|name: &HeaderName| transport(name) || strip::names_a_person(name)),
            Strip::Off => Arc::new(transport),
        };
        Self { outbound, forbidden }
    }
}

impl WasiHttpHooks for Calls {
    /// Trailers are filtered by this one, outside the store; the older `is_forbidden_header` does not see them.
    fn forbidden_header_filter(&mut self) -> ForbiddenHeaderFilter {
        Arc::clone(&self.forbidden)
    }

    fn default_scheme(&mut self) -> Option<Scheme> {
        Some(Scheme::HTTP)
    }

    fn send_request(
        &mut self,
        request: Request<Body>,
        options: Option<RequestOptions>,
        _response_result: Ending,
    ) -> Box<dyn Future<Output = Result<(Response<Body>, Ending), BodyError>> + Send> {
        let outbound = Arc::clone(&self.outbound);
        Box::new(async move {
            let options = options.unwrap_or_default();
            let asked = CallClocks {
                connect: options.connect_timeout,
                first_byte: options.first_byte_timeout,
                between_bytes: options.between_bytes_timeout,
            };
            match outbound.send(request, asked).await {
                // The connection has a task of its own, so there is no input or output left to be driven here.
                Ok(response) => {
                    Ok((response.map(BodyExt::boxed_unsync), Box::new(async { Ok(()) }) as Ending))
                }
                Err(failure) => {
                    tracing::debug!(reason = %failure, "call to a cell failed");
                    Err(told_to_the_guest(failure))
                }
            }
        })
    }
}

fn transport(name: &HeaderName) -> bool {
    DEFAULT_FORBIDDEN_HEADERS.contains(name)
}

fn told_to_the_guest(failure: CallFailure) -> BodyError {
    match failure {
        CallFailure::NotListed | CallFailure::OnThisMachine => BodyError::HttpRequestDenied,
        CallFailure::NoAuthority => BodyError::HttpRequestUriInvalid,
        CallFailure::TooManyConnections => BodyError::ConnectionLimitReached,
        CallFailure::NameUnknown => BodyError::DestinationNotFound,
        CallFailure::TlsRefused => BodyError::TlsProtocolError,
        CallFailure::ConnectRefused => BodyError::ConnectionRefused,
        CallFailure::ConnectTimedOut => BodyError::ConnectionTimeout,
        CallFailure::FirstByteTimedOut => BodyError::ConnectionReadTimeout,
        CallFailure::InterimHeads | CallFailure::Broken => BodyError::HttpProtocolError,
    }
}
