//! Plots as SVG, with logarithmic axes of time.

use crate::compare::Pair;
use crate::summary::Quantile;
use base::markup::html as escape;

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 56.0;
const BOTTOM: f64 = 44.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 16.0;
/// Shorter times are drawn as this.
const SHORTEST: f64 = 0.001;

/// A logarithmic scale over whole powers of ten.
struct Scale {
    from: f64,
    to: f64,
}

impl Scale {
    fn of(times: impl Iterator<Item = f64>) -> Scale {
        let (mut least, mut most) = (f64::INFINITY, SHORTEST);
        for time in times {
            least = least.min(time.max(SHORTEST));
            most = most.max(time);
        }
        let from = least.min(most).log10().floor();
        Scale { from, to: most.log10().ceil().max(from + 1.0) }
    }

    /// Between 0 and 1.
    fn at(&self, time: f64) -> f64 {
        (time.max(SHORTEST).log10() - self.from) / (self.to - self.from)
    }

    fn ticks(&self) -> impl Iterator<Item = f64> + use<> {
        (self.from as i32..=self.to as i32).map(|power| 10f64.powi(power))
    }
}

fn x(share: f64) -> f64 {
    LEFT + share * (WIDTH - LEFT - RIGHT)
}

fn y(share: f64) -> f64 {
    HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)
}

fn open(label: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\" xmlns=\"http://www.w3.org/2000/svg\">",
        escape(label)
    )
}

fn seconds(time: f64) -> String {
    if time < 1.0 { format!("{} ms", (time * 1000.0).round()) } else { format!("{time} s") }
}

fn time_axis_up(scale: &Scale) -> String {
    let tick = |time: f64| {
        let at = y(scale.at(time));
        format!(
            "<line class=\"grid\" x1=\"{}\" y1=\"{at:.1}\" x2=\"{}\" y2=\"{at:.1}\"/><text class=\"end\" x=\"{}\" y=\"{:.1}\">{}</text>",
            x(0.0),
            x(1.0),
            x(0.0) - 6.0,
            at + 4.0,
            seconds(time)
        )
    };
    scale.ticks().map(tick).collect()
}

fn label_across(text: &str) -> String {
    format!("<text class=\"middle\" x=\"{:.1}\" y=\"{:.1}\">{}</text>", x(0.5), HEIGHT - 6.0, escape(text))
}

/// Time of the n-th fastest answer, a curve for each run.
pub fn quantiles(curves: &[(&str, Vec<Quantile>)]) -> String {
    let scale = Scale::of(curves.iter().flat_map(|(_, points)| points.iter().map(|point| point.cpu_s)));
    let most = curves.iter().map(|(_, points)| points.len()).max().unwrap_or(0).max(1) as f64;
    let mut svg = open("quantile plot") + &time_axis_up(&scale);
    let step = nice_step(most);
    let mut count = 0.0;
    while count <= most {
        let at = x(count / most);
        svg += &format!(
            "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{:.1}\" x2=\"{at:.1}\" y2=\"{:.1}\"/><text class=\"middle\" x=\"{at:.1}\" y=\"{:.1}\">{count}</text>",
            y(0.0),
            y(1.0),
            y(0.0) + 16.0
        );
        count += step;
    }
    for (number, (name, points)) in curves.iter().enumerate() {
        let place = |point: &Quantile| format!("{:.1},{:.1}", x(point.answers as f64 / most), y(scale.at(point.cpu_s)));
        let line: Vec<String> = points.iter().map(place).collect();
        svg += &format!("<polyline class=\"curve{number}\" points=\"{}\"/>", line.join(" "));
        if curves.len() > 1 {
            let at = y(1.0) + 16.0 + 16.0 * number as f64;
            svg += &format!(
                "<text class=\"name{number}\" x=\"{:.1}\" y=\"{at:.1}\">{}</text>",
                x(0.0) + 10.0,
                escape(name)
            );
        }
    }
    svg + &label_across("answers") + "</svg>"
}

/// A round distance between ticks, for six of them at most.
fn nice_step(most: f64) -> f64 {
    let rough = (most / 6.0).max(1.0);
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * power).find(|step| *step >= rough).unwrap_or(rough)
}

/// Each task as a point: the time of the old run across, that of the new one up.
pub fn scatter(pairs: &[Pair], old: &str, new: &str) -> String {
    let scale = Scale::of(pairs.iter().flat_map(|pair| [pair.old_cpu_s, pair.new_cpu_s]));
    let mut svg = open("scatter plot") + &time_axis_up(&scale);
    for time in scale.ticks() {
        let at = x(scale.at(time));
        svg += &format!(
            "<line class=\"grid\" x1=\"{at:.1}\" y1=\"{:.1}\" x2=\"{at:.1}\" y2=\"{:.1}\"/><text class=\"middle\" x=\"{at:.1}\" y=\"{:.1}\">{}</text>",
            y(0.0),
            y(1.0),
            y(0.0) + 16.0,
            seconds(time)
        );
    }
    svg += &format!(
        "<line class=\"diagonal\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
        x(0.0),
        y(0.0),
        x(1.0),
        y(1.0)
    );
    for pair in pairs {
        let class = if pair.both_answer { "both" } else { "one" };
        let title = format!("{} ({}): {} s, then {} s", pair.task, pair.property, pair.old_cpu_s, pair.new_cpu_s);
        svg += &format!(
            "<circle class=\"{class}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\"><title>{}</title></circle>",
            x(scale.at(pair.old_cpu_s)),
            y(scale.at(pair.new_cpu_s)),
            escape(&title)
        );
    }
    svg +=
        &format!("<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x(0.0) + 6.0, y(1.0) + 14.0, escape(&format!("↑ {new}")));
    svg + &label_across(&format!("{old} →")) + "</svg>"
}
