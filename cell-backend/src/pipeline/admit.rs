//! Who asks, when, and whether this cell may answer: everything that comes before any work is done.

use domicile_token::{Asked, TokenRefusal};
use domicile_topology::Class;
use domicile_wire::{Caller, Code, Problem, Request, ShopperId};

use super::Way;
use crate::cell::Cell;
use crate::features::Standing;
use crate::refusal;

impl Cell {
    /// A sealed request is of now and comes for the first time. A plain one does not leave the machine, and TLS itself
    /// lets nothing be sent again.
    pub(super) fn fresh(&self, request: &Request, way: Way<'_>) -> Result<(), Problem> {
        let (Way::Sealed { request: sealed }, Some(sealing)) = (way, &self.sealing) else {
            return Ok(());
        };
        let now_s = self.clock.unix_seconds();
        if !request.date_s.is_some_and(|date_s| sealing.is_fresh(date_s, now_s)) {
            return Err(Problem::new(Code::DateSkew, "seal again with a date by this answer's clock"));
        }
        if sealing.first_time(sealed, now_s) {
            Ok(())
        } else {
            Err(Problem::new(Code::Replayed, "seal each request anew"))
        }
    }

    /// The class that the pin states, lawful here, and the shopper: by a token of that class, or by a plain id where
    /// nobody else can listen.
    pub(super) fn admit(
        &self,
        request: &Request,
        way: Way<'_>,
    ) -> Result<(&Class, Option<ShopperId>, Standing), Problem> {
        let class = self.pins.class_of(&request.pin, self.clock.unix_minutes()).map_err(refusal::pin)?;
        let class = self.topology.class(class).ok_or_else(|| Problem::from(Code::UnknownClass))?;

        // Residency: any cell of the class may answer, no other may. It is the pin's class here; below, the token's
        // has to be the same one.
        if !class.allows(self.id) {
            return Err(Problem::new(Code::CellNotInClass, "ask a cell of the pin's class"));
        }
        let mut standing = Standing::Known;
        let shopper = match (&request.caller, way) {
            (Caller::Token(token), _) => {
                let tokens = self.tokens.as_ref().ok_or(TokenRefusal::UnknownKey);
                let cells: Vec<&str> = class
                    .cells
                    .iter()
                    .filter_map(|cell| Some(self.topology.cell(cell.cell)?.name.as_str()))
                    .collect();
                let asked = Asked { class: &class.name, cells: &cells, now_s: self.clock.unix_seconds() };
                let claims = tokens.and_then(|tokens| tokens.check(token, asked)).map_err(refusal::token)?;
                if claims.anonymous {
                    standing = Standing::Anonymous;
                }
                // A subject has the form of a shopper's id.
                Some(
                    ShopperId::new(claims.sub.expose())
                        .ok_or_else(|| refusal::token(TokenRefusal::Malformed))?,
                )
            }
            (Caller::Plain(shopper), Way::Plain) => Some(shopper.clone()),
            (Caller::Nobody, Way::Plain) => None,
            (Caller::Plain(_), Way::Sealed { .. } | Way::Direct { .. }) => {
                let line = "a plain shopper id is taken in plain messages only, on a loopback listener";
                return Err(Problem::new(Code::ShopperRefused, line));
            }
            (Caller::Nobody, Way::Sealed { .. } | Way::Direct { .. }) => {
                return Err(refusal::token(TokenRefusal::Missing));
            }
        };
        Ok((class, shopper, standing))
    }
}
