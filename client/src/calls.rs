//! The calls of a cell's API, as a page makes them. All take the one sealed route.

use domicile_deadline::Deadline;
use domicile_wire::{
    Call, ErasureAnswer, Event, EventsAnswer, ExportPage, PageToken, RankAnswer, RankRequest,
};

use crate::split::fitting;
use crate::tries::Extra;
use crate::{Client, Exported, Grant, Outcome, Outside, Page, Reason, Told};

/// Most pages of an export: far more than a cell keeps of a shopper, and an end to a cell that never comes to one.
const PAGES_MAX: usize = 1_024;

/// Who asks, from where, and until when.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The shopper's grant.
    pub grant: &'a Grant,
    /// The page. It is in the path of every call, also of those that are about no shelf.
    pub page: &'a Page,
    /// Which cells may answer.
    pub cells: Cells<'a>,
    /// When it is too late. The extra attempt lies within it.
    pub deadline: Deadline,
}

/// Which cells of the class may answer. There is no way to name one outside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells<'a> {
    /// The home, and one that stands in for it.
    Any,
    /// The home alone.
    Home,
    /// This one alone, when it is one of the class.
    Only(&'a str),
}

impl<O: Outside> Client<O> {
    /// A shelf for the page's slot. `anchor` are the items that the page is about.
    pub async fn rank(&self, ask: Ask<'_>, anchor: Vec<String>) -> Outcome<RankAnswer> {
        let (locale, slot) = (ask.page.locale().to_owned(), ask.page.slot().to_owned());
        let call = Call::Rank(RankRequest { locale, slot, anchor });
        self.call(ask, &call, &mut Extra::one()).await
    }

    /// Tells what the shopper did, in as many requests as it takes; the first that fails ends it, and what is left is
    /// handed back to be told again. One extra attempt for all of them.
    pub async fn tell(&self, ask: Ask<'_>, events: Vec<Event>) -> Told {
        let mut told = Told { accepted: 0, duplicates: 0, erased: 0, undelivered: events, stopped: None };
        let mut extra = Extra::one();
        while !told.undelivered.is_empty() {
            let count = fitting(ask.grant, &told.undelivered);
            if count == 0 {
                told.stopped = Some(Outcome::fallback(Reason::TooLong, 0));
                break;
            }
            let batch = told.undelivered.iter().take(count).cloned().collect();
            match self.call::<EventsAnswer>(ask, &Call::Events(batch), &mut extra).await.answered() {
                Ok(answered) => {
                    told.undelivered.drain(..count);
                    told.accepted = told.accepted.saturating_add(answered.answer.accepted);
                    told.duplicates = told.duplicates.saturating_add(answered.answer.duplicates);
                    told.erased = told.erased.saturating_add(answered.answer.erased);
                }
                Err(stopped) => {
                    told.stopped = Some(stopped);
                    break;
                }
            }
        }
        told
    }

    /// Everything that one cell keeps about the shopper, page by page: the home's with [`Cells::Any`] too, since
    /// another cell keeps something else. One extra attempt for all pages.
    pub async fn export(&self, ask: Ask<'_>) -> Exported {
        let ask = at_one_cell(ask);
        let (mut pages, mut extra): (Vec<ExportPage>, _) = (Vec::new(), Extra::one());
        let mut from = None;
        while pages.len() < PAGES_MAX {
            match self.call::<ExportPage>(ask, &Call::Export(from), &mut extra).await.answered() {
                Ok(answered) => {
                    let next = answered.answer.next.clone();
                    pages.push(answered.answer);
                    let Some(next) = next else { return Exported { pages, stopped: None } };
                    from = PageToken::parse(&next);
                    if from.is_none() {
                        // More was promised, and how to ask for it cannot be read: not the whole.
                        break;
                    }
                }
                Err(stopped) => return Exported { pages, stopped: Some(stopped) },
            }
        }
        Exported { pages, stopped: Some(Outcome::fallback(Reason::NotAnAnswer, 0)) }
    }

    /// Ends what one cell keeps about the shopper: the home with [`Cells::Any`] too. The cells that the answer calls
    /// pending have to be asked themselves, with [`Cells::Only`]. May be repeated.
    pub async fn erase(&self, ask: Ask<'_>) -> Outcome<ErasureAnswer> {
        self.call(at_one_cell(ask), &Call::Erase, &mut Extra::one()).await
    }
}

/// What is kept lies in a cell: another one that stands in would answer for itself.
fn at_one_cell(ask: Ask<'_>) -> Ask<'_> {
    let cells = if ask.cells == Cells::Any { Cells::Home } else { ask.cells };
    Ask { cells, ..ask }
}
