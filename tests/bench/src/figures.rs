//! Figures, and the bars they are held against.

use serde_json::{Value, json};

use domicile_cluster::report::print;

use crate::stats::Spread;

/// What a figure must not pass.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bar {
    AtMost(f64),
    AtLeast(f64),
}

impl Bar {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtMost(bar) => value <= bar,
            Self::AtLeast(bar) => value >= bar,
        }
    }

    /// How much of what is allowed a value takes: above 1 the bar is missed.
    pub(crate) fn taken(self, value: f64) -> f64 {
        match self {
            Self::AtMost(bar) if bar > 0.0 => value / bar,
            Self::AtMost(_) => 2.0 * f64::from(u8::from(value > 0.0)),
            Self::AtLeast(bar) => bar / value.max(f64::MIN_POSITIVE),
        }
    }

    fn shown(self) -> String {
        match self {
            Self::AtMost(bar) => format!("≤ {bar}"),
            Self::AtLeast(bar) => format!("≥ {bar}"),
        }
    }
}

/// One figure: the middle of its rounds, and how far they lie apart.
#[derive(Debug, Clone)]
pub(crate) struct Figure {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) spread: Spread,
    pub(crate) bar: Option<Bar>,
}

/// All of a run.
#[derive(Default)]
pub(crate) struct Figures(Vec<Figure>);

impl Figures {
    /// Notes a figure taken in rounds.
    pub(crate) fn rounds(
        &mut self,
        name: &'static str,
        unit: &'static str,
        values: &[f64],
        bar: Option<Bar>,
    ) {
        self.0.push(Figure { name, unit, spread: Spread::of(values), bar });
    }

    /// Notes a figure taken once.
    pub(crate) fn once(&mut self, name: &'static str, unit: &'static str, value: f64, bar: Option<Bar>) {
        self.rounds(name, unit, &[value], bar);
    }

    pub(crate) fn all(&self) -> &[Figure] {
        &self.0
    }

    /// The bars that are missed.
    pub(crate) fn missed(&self) -> Vec<&'static str> {
        let missed = |f: &&Figure| f.bar.is_some_and(|bar| !bar.holds(f.spread.median));
        self.0.iter().filter(missed).map(|f| f.name).collect()
    }

    /// As a table.
    pub(crate) fn print(&self) {
        print(format!("{:<52} {:>10} {:<6} {:>21}  {}", "", "figure", "", "least to most", "bar"));
        for Figure { name, unit, spread, bar } in &self.0 {
            let range = if spread.least < spread.most {
                format!("{} to {}", short(spread.least), short(spread.most))
            } else {
                String::new()
            };
            let bar = bar.map_or_else(String::new, |bar| {
                format!("{} {}", bar.shown(), if bar.holds(spread.median) { "met" } else { "MISSED" })
            });
            print(format!("{name:<52} {:>10} {unit:<6} {range:>21}  {bar}", short(spread.median)));
        }
    }

    /// As JSON.
    pub(crate) fn json(&self) -> Value {
        let one = |f: &Figure| {
            json!({
                "name": f.name, "unit": f.unit, "median": f.spread.median, "least": f.spread.least, "most": f.spread.most,
                "bar": f.bar.map(Bar::shown), "met": f.bar.map(|bar| bar.holds(f.spread.median)),
            })
        };
        self.0.iter().map(one).collect()
    }
}

/// Three digits or so.
pub(crate) fn short(value: f64) -> String {
    match value.abs() {
        v if v >= 100.0 => format!("{value:.0}"),
        v if v >= 10.0 => format!("{value:.1}"),
        v if v >= 0.1 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_bar_is_named() {
        let mut figures = Figures::default();
        figures.once("low", "x", 0.7, Some(Bar::AtLeast(0.8)));
        figures.rounds("fine", "ms", &[9.0, 0.1, 0.2], Some(Bar::AtMost(0.5)));
        figures.once("dropped", "", 1.0, Some(Bar::AtMost(0.0)));
        figures.once("free", "", 1.0, None);
        assert_eq!(figures.missed(), ["low", "dropped"]);
    }
}
