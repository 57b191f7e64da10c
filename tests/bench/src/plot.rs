//! The run as a picture: every bar, and how much of what it allows was taken. Left of the line it is met.

use std::fmt::Write as _;

use crate::figures::{Figures, short};

const WIDTH: f64 = 900.0;
const LABELS: f64 = 380.0;
const ROW: f64 = 26.0;
const TOP: f64 = 58.0;
/// What is drawn to the right of the bar, in bars.
const MOST: f64 = 2.0;

/// An SVG document. `caption` says machine and seed.
pub(crate) fn svg(figures: &Figures, caption: &str) -> String {
    let rows: Vec<_> = figures.all().iter().filter_map(|f| Some((f, f.bar?))).collect();
    let count = f64::from(u16::try_from(rows.len()).unwrap_or(u16::MAX));
    let height = ROW.mul_add(count, TOP + 30.0);
    let x = |taken: f64| LABELS + (WIDTH - LABELS - 110.0) * taken.min(MOST) / MOST;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"12\" y=\"22\" font-size=\"16\">The edge against its bars</text>\n\
         <text x=\"12\" y=\"42\" fill=\"#555\">{}</text>\n",
        escape(caption)
    );
    for (at, (figure, bar)) in (0u16..).zip(&rows) {
        let y = ROW.mul_add(f64::from(at), TOP);
        let taken = bar.taken(figure.spread.median);
        // Least and most of a share of what is allowed: which is which depends on the bar's direction.
        let ends = [bar.taken(figure.spread.least), bar.taken(figure.spread.most)].map(x);
        let colour = if taken <= 1.0 { "#2a7f62" } else { "#b3382c" };
        let (middle, width) = (y + ROW / 2.0, (x(taken) - LABELS).max(1.0));
        let _ = writeln!(
            svg,
            "<text x=\"12\" y=\"{:.1}\">{}</text>\n<rect x=\"{LABELS}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" \
             fill=\"{colour}\"/>\n<path d=\"M{:.1} {middle:.1}H{:.1}\" stroke=\"#000\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\">{} {}</text>",
            middle + 4.0,
            escape(figure.name),
            y + 5.0,
            ROW - 10.0,
            ends[0],
            ends[1],
            WIDTH - 100.0,
            middle + 4.0,
            short(figure.spread.median),
            escape(figure.unit),
        );
    }
    let _ = writeln!(
        svg,
        "<path d=\"M{0:.1} {TOP}V{1:.1}\" stroke=\"#000\" stroke-dasharray=\"4 3\"/>\n\
         <text x=\"{0:.1}\" y=\"{2:.1}\" text-anchor=\"middle\">the bar</text>\n</svg>",
        x(1.0),
        height - 26.0,
        height - 10.0
    );
    svg
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Bar;

    #[test]
    fn every_bar_is_drawn_and_what_missed_is_red() {
        let mut figures = Figures::default();
        figures.once("shelf & hello", "x", 0.9, Some(Bar::AtLeast(0.8)));
        figures.once("slow", "ms", 3.0, Some(Bar::AtMost(1.0)));
        figures.once("without", "ms", 3.0, None);
        let svg = svg(&figures, "seed 1");
        assert!(svg.contains("shelf &amp; hello") && svg.contains("seed 1") && !svg.contains("without"));
        assert_eq!((svg.matches("#2a7f62").count(), svg.matches("#b3382c").count()), (1, 1));
    }
}
