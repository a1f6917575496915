//! The report of `minimize`: the failing run before and after, and how good the result is.

use crate::failure::NoFailure;
use crate::replay::{ReplayReport, Shown, ViolationView};
use crate::terminal::Style;
use crate::verify::TraceReport;
use evidence::{Freedom, Measure};
use serde::Serialize;
use std::fmt::Write;

#[derive(Debug, Serialize)]
pub struct MinimizeReport {
    /// `false` if there is a failing run; otherwise as `verify` says.
    pub verdict: &'static str,
    /// Why there is none.
    pub reason: Option<String>,
    /// What to do where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    pub violation: Option<ViolationView>,
    pub raw: Option<ResultReport>,
    pub greedy: Option<ResultReport>,
    pub optimal: Option<OptimalReport>,
    /// If asked for: intervals within which all combinations of inputs fail on the same path.
    #[serde(rename = "box", skip_serializing_if = "Option::is_none")]
    pub failing_box: Option<Vec<BoxSide>>,
    #[serde(skip)]
    pub(crate) text: Text,
}

/// The values of one input.
#[derive(Clone, Debug, Serialize)]
pub struct BoxSide {
    pub name: String,
    pub from: String,
    pub to: String,
}

#[derive(Debug)]
pub(crate) enum Text {
    None(NoFailure),
    /// The run to show.
    Run(Box<ReplayReport>),
}

#[derive(Debug, Serialize)]
pub struct ResultReport {
    pub length: u64,
    pub sum: String,
    /// Of a program that runs in cycles.
    #[serde(flatten)]
    pub cycles: Option<CycleCosts>,
    pub trace: TraceReport,
    pub time_ms: f64,
}

/// How many cycles a run has, and how many inputs are not what they were a cycle before.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CycleCosts {
    pub cycles: u64,
    pub input_changes: u64,
}

#[derive(Debug, Serialize)]
pub struct OptimalReport {
    #[serde(flatten)]
    pub result: ResultReport,
    /// No run within the bound is better.
    pub proven: bool,
    pub lower_bound: LowerBound,
    /// The bound on loops and recursion within which all runs were considered.
    pub bound: Option<u32>,
}

/// Of a shorter run, or of the values of one that is as short; `None` where nothing was proved.
#[derive(Clone, Debug, Serialize)]
pub struct LowerBound {
    pub length: Option<u64>,
    pub sum: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_changes: Option<u64>,
}

/// What one strategy gives.
#[derive(Clone)]
pub struct Strategy {
    pub name: &'static str,
    pub measure: Measure,
    pub cycles: Option<CycleCosts>,
    pub run: ReplayReport,
    pub time_ms: f64,
    /// Of the one that proves something.
    pub proof: Option<MinimalityProof>,
}

#[derive(Clone)]
pub struct MinimalityProof {
    pub proven: bool,
    pub lower_bound: LowerBound,
    pub bound: Option<u32>,
}

impl MinimizeReport {
    pub fn none(why: NoFailure) -> Self {
        let (verdict, reason, help) = (why.verdict, Some(why.reason.clone()), why.help.clone());
        let text = Text::None(why);
        MinimizeReport {
            verdict,
            reason,
            help,
            violation: None,
            raw: None,
            greedy: None,
            optimal: None,
            failing_box: None,
            text,
        }
    }

    /// From the strategies in their order; the run of the last one is shown.
    pub fn new(violation: ViolationView, strategies: Vec<Strategy>) -> Option<Self> {
        let (mut raw, mut greedy, mut optimal, mut shown) = (None, None, None, None);
        for strategy in strategies {
            let Measure { length, sum } = strategy.measure;
            let trace = TraceReport::new(Some(strategy.measure), &strategy.run);
            let (sum, cycles, time_ms) = (sum.to_string(), strategy.cycles, strategy.time_ms);
            let result = ResultReport { length, sum, cycles, trace, time_ms };
            match (strategy.name, strategy.proof) {
                ("none", _) => raw = Some(result),
                (_, None) => greedy = Some(result),
                (_, Some(MinimalityProof { proven, lower_bound, bound })) => {
                    optimal = Some(OptimalReport { result, proven, lower_bound, bound });
                }
            }
            shown = Some(strategy.run);
        }
        let text = Text::Run(Box::new(shown?));
        Some(MinimizeReport {
            verdict: "false",
            reason: None,
            help: None,
            violation: Some(violation),
            raw,
            greedy,
            optimal,
            failing_box: None,
            text,
        })
    }

    /// Says what the inputs of the run that is shown may be together; nothing where that was not found out.
    pub fn show_box(&mut self, freedom: &[Freedom]) {
        let Text::Run(run) = &self.text else { return };
        let sides = run.inputs.iter().zip(freedom).enumerate().map(|(number, (input, freedom))| {
            let name = run.input_name(number).unwrap_or_else(|| format!("input {}", number + 1));
            match freedom {
                Freedom::Range(from, to) => BoxSide { name, from: from.to_string(), to: to.to_string() },
                Freedom::DontCare | Freedom::Unknown => {
                    BoxSide { name, from: input.value.clone(), to: input.value.clone() }
                }
            }
        });
        self.failing_box = Some(sides.collect());
    }

    fn write_box(&self, text: &mut String) -> std::fmt::Result {
        let Some(sides) = &self.failing_box else { return Ok(()) };
        if sides.is_empty() {
            return writeln!(
                text,
                "\nno box of failing inputs: there are none, time ran out, or the run has no formula"
            );
        }
        writeln!(
            text,
            "\nall inputs within these bounds fail on the same path (proven; no single bound can be wider):"
        )?;
        let width = sides.iter().map(|side| side.name.chars().count()).max().unwrap_or(0);
        for BoxSide { name, from, to } in sides {
            match from == to {
                true => writeln!(text, "  {name:width$}  only {from}")?,
                false => writeln!(text, "  {name:width$}  {from} to {to}")?,
            }
        }
        Ok(())
    }

    pub fn to_text(&self, shown: Shown, style: Style) -> String {
        let run = match &self.text {
            Text::None(why) => return why.to_text(style),
            Text::Run(run) => run,
        };
        let mut text = String::new();
        let optimal = self.optimal.as_ref().map(|optimal| &optimal.result);
        let rows = [("raw", self.raw.as_ref()), ("greedy", self.greedy.as_ref()), ("optimal", optimal)];
        let sums = rows.iter().filter_map(|(_, row)| row.map(|row| row.sum.len())).max().unwrap_or(0).max(1);
        let in_cycles = rows.iter().any(|(_, row)| row.is_some_and(|row| row.cycles.is_some()));
        let columns = if in_cycles { "cycles  input changes" } else { "length" };
        writeln!(text, "run      {columns}  {:>sums$}        time", "Σ").expect("writing to a string");
        for (name, row) in rows {
            let Some(row) = row else { continue };
            let ResultReport { length, sum, time_ms, .. } = row;
            let costs = match row.cycles {
                Some(CycleCosts { cycles, input_changes }) => format!("{cycles:>6}  {input_changes:>13}"),
                None => format!("{length:>6}"),
            };
            write!(text, "{name:7}  {costs}  {sum:>sums$}  {time_ms:>7.1} ms").expect("writing to a string");
            if let (true, Some(optimal)) = (name == "optimal", &self.optimal) {
                write!(text, "  {}", optimal.verdict()).expect("writing to a string");
            }
            text.push('\n');
        }
        text.push_str(&run.body(shown, style));
        self.write_box(&mut text).expect("writing to a string");
        text
    }
}

impl OptimalReport {
    pub(crate) fn verdict(&self) -> String {
        if self.proven {
            let bound = self.bound.map_or(String::new(), |bound| format!(" within bound {bound}"));
            return match self.result.cycles {
                Some(_) => {
                    format!("proven: no run{bound} has fewer cycles, then fewer changes of inputs, then a smaller Σ")
                }
                None => format!("proven: no run{bound} is better"),
            };
        }
        let mut known = Vec::new();
        known.extend(self.lower_bound.cycles.map(|cycles| format!("{cycles} cycles at least")));
        known.extend(self.lower_bound.input_changes.map(|changes| format!("{changes} changes of inputs at least")));
        known.extend(self.lower_bound.length.map(|length| format!("length is at least {length}")));
        known.extend(self.lower_bound.sum.as_ref().map(|sum| format!("Σ is at least {sum}")));
        match known.is_empty() {
            true => "not proven".into(),
            false => format!("not proven: {}", known.join(", ")),
        }
    }
}
