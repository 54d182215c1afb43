//! Grouped bars as SVG. Bars that would leave the picture are cut and say their value.
//!
//! Units: points of the picture.

use std::fmt::Write;

/// Bars of one program.
pub struct Group {
    pub label: &'static str,
    /// As many as the chart has labels.
    pub bars: Vec<f64>,
}

pub struct Chart {
    pub title: &'static str,
    pub labels: Vec<&'static str>,
    pub groups: Vec<Group>,
}

/// Distinguishable without colour vision too (Okabe and Ito 2008).
const COLOURS: [&str; 6] = ["#999999", "#e69f00", "#d55e00", "#56b4e9", "#0072b2", "#009e73"];
const BAR: f64 = 18.0;
const GAP: f64 = 26.0;
const LEFT: f64 = 46.0;
const TOP: f64 = 44.0;
const HEIGHT: f64 = 220.0;
/// Value at the top.
const MOST: f64 = 2.0;

impl Chart {
    pub fn svg(&self) -> String {
        let group_width = self.labels.len() as f64 * BAR + GAP;
        let width = (LEFT + self.groups.len() as f64 * group_width + 20.0).max(640.0);
        let height = TOP + HEIGHT + 70.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{}</text>\n",
            self.title
        );
        for step in 0..=4 {
            let value = MOST * f64::from(step) / 4.0;
            let y = bar_top(value);
            let dashes = if value == 1.0 { "" } else { " stroke-dasharray=\"2 3\"" };
            // Writing into a string cannot fail.
            let _ = writeln!(
                svg,
                "<line x1=\"{LEFT}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#888\"{dashes}/>\
                 <text x=\"{}\" y=\"{}\" text-anchor=\"end\">{value:.1}</text>",
                width - 10.0,
                LEFT - 6.0,
                y + 4.0
            );
        }
        for (number, group) in self.groups.iter().enumerate() {
            self.group(&mut svg, group, LEFT + GAP / 2.0 + number as f64 * group_width);
        }
        self.legend(&mut svg, TOP + HEIGHT + 42.0);
        svg + "</svg>\n"
    }

    fn group(&self, svg: &mut String, group: &Group, left: f64) {
        for (number, &value) in group.bars.iter().enumerate() {
            let x = left + number as f64 * BAR;
            let y = bar_top(value.min(MOST));
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" fill=\"{}\">\
                 <title>{}, {}: {value:.3}</title></rect>\
                 <text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"8\">{value:.2}</text>",
                BAR - 2.0,
                TOP + HEIGHT - y,
                COLOURS[number % COLOURS.len()],
                group.label,
                self.labels[number],
                x + BAR / 2.0 - 1.0,
                y - 3.0
            );
        }
        let middle = left + self.labels.len() as f64 * BAR / 2.0;
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            TOP + HEIGHT + 16.0,
            group.label
        );
    }

    fn legend(&self, svg: &mut String, y: f64) {
        for (number, label) in self.labels.iter().enumerate() {
            let (column, row) = (number % 3, number / 3);
            let (x, y) = (LEFT + column as f64 * 180.0, y + row as f64 * 16.0);
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{}\"/>\
                 <text x=\"{}\" y=\"{y}\">{label}</text>",
                y - 9.0,
                COLOURS[number % COLOURS.len()],
                x + 14.0
            );
        }
    }
}

fn bar_top(value: f64) -> f64 {
    TOP + HEIGHT * (1.0 - value / MOST)
}
