//! Conditions and terms that are missing, synthesized from the runs: `c && x > 600`, `e + (flag ? 100 : 0)`.
//!
//! The text is compiled once with an input where the missing piece would stand. One look at each known run then says of all candidates whether they would
//! help there: for conditions, what they are when the piece is evaluated; for terms, the run itself. Only the few that fit all runs are made edits.

use super::edits::{Edit, Kind, Place};
use super::{Edited, Given, Runs, Workbench, compile};
use crate::localize::lines::Line;
use crate::suite::{TestResult, Unobserved};
use cfa::interp::{self, Config, Event, Observer, Outcome, View};
use cfa::{BinOp, EdgeId, Expr, ExprId, ExprKind, Op, PlaceId, Task, TypeId};
use frontend::{Condition, Frontend, Site, TokenKind};
use std::collections::{BTreeMap, BTreeSet};

/// What is put where a piece is missing.
const HOLE: &str = "__VERIFIER_nondet_int()";
/// Candidates at one place, and edits that come of them.
const MAX_CANDIDATES: usize = 4000;
const MAX_EDITS: usize = 40;
/// Variables and constants that candidates are made of.
const MAX_ATOMS: usize = 40;
const MAX_CONSTANTS: usize = 24;
/// Evaluations of the piece in one run that are looked at.
const MAX_EVALUATIONS: usize = 10_000;

/// A program with a hole.
struct Holed {
    edited: Edited,
    /// The input that stands for the piece.
    hole: EdgeId,
    place: PlaceId,
}

/// A run as the interpreter is given it.
enum Known<'r> {
    Given(&'r Given),
    Test(&'r crate::suite::Test),
}

impl Place<'_> {
    /// Conditions that are missing at a line, those that fit all known runs.
    pub(super) fn missing_conditions(
        &self,
        bench: &Workbench<'_>,
        texts: &[(&str, &[u8], u32)],
        runs: &Runs,
    ) -> Vec<Edit> {
        let mut edits = Vec::new();
        for span in self.boolean_values() {
            for (token, neutral) in [(TokenKind::And, true), (TokenKind::Or, false)] {
                let operator = self.spelling(token);
                let parts = |piece: &str| {
                    vec![(span.lo, span.lo, "(".into()), (span.hi, span.hi, format!(") {operator} ({piece})"))]
                };
                let edit = |piece: &str, what: String| Edit {
                    parts: parts(piece),
                    what,
                    kind: Kind::Guard,
                    shared_tokens: self.shared_tokens(piece),
                    definition: None,
                };
                let Some(mut holed) = Holed::of(bench, texts, &edit(HOLE, String::new())) else { continue };
                if !holed.can_help(runs, !neutral) {
                    continue;
                }
                let candidates = holed.comparisons(self);
                let fitting = holed.fitting(runs, &candidates, neutral);
                let fitting = fitting.into_iter().take(MAX_EDITS);
                edits.extend(fitting.map(|text| edit(&text, format!("`{operator} {text}` added"))));
            }
        }
        edits
    }

    /// Terms that are missing in what a line returns or assigns.
    pub(super) fn missing_terms(&self, bench: &Workbench<'_>, texts: &[(&str, &[u8], u32)], runs: &Runs) -> Vec<Edit> {
        let mut edits = Vec::new();
        for span in self.values_in(&self.tokens) {
            let old = self.sources.snippet(span).into_owned();
            if old.contains(['{', '"', '\n']) {
                continue;
            }
            let hole = Edit::replace(Kind::Term, span.lo, span.hi, format!("({old}) + {HOLE}"), "");
            let Some(mut holed) = Holed::of(bench, texts, &hole) else { continue };
            let terms = holed.terms(self);
            let mut found = 0;
            for (expr, text) in terms {
                holed.put(expr);
                if found < MAX_EDITS && runs.pass(&holed.edited) {
                    found += 1;
                    let new = text.replace("$", &old);
                    let what = format!("`{new}` instead of `{old}`");
                    edits.push(Edit::replace(Kind::Term, span.lo, span.hi, format!("({new})"), what));
                }
            }
        }
        edits
    }
}

/// Leaves out edits that put another number, variable or condition in one place and do not make the known runs pass: the text is compiled once for each
/// place, with a hole there, and not once for each edit.
pub(super) fn sieved<'l>(bench: &Workbench<'_>, runs: &Runs, edits: &[(&'l Line, Edit)]) -> Vec<(&'l Line, Edit)> {
    /// A place with fewer edits is not worth it.
    const FEW: usize = 3;
    let mut holes: BTreeMap<(u32, u32, String), Vec<(usize, String)>> = BTreeMap::new();
    for (index, (_, edit)) in edits.iter().enumerate() {
        match (edit.kind, edit.parts.as_slice()) {
            (Kind::Constant | Kind::Number | Kind::Variable, [(lo, hi, new)]) => {
                holes.entry((*lo, *hi, String::new())).or_default().push((index, new.clone()));
            }
            (Kind::Condition, [(lo, _, _), (hi, _, new)]) => {
                // `) && (c)`
                if let Some((operator, rest)) = new.split_once(" (") {
                    let piece = rest.strip_suffix(')').unwrap_or(rest).to_string();
                    holes.entry((*lo, *hi, operator.to_string())).or_default().push((index, piece));
                }
            }
            _ => {}
        }
    }
    let texts: Vec<(&str, &[u8], u32)> = bench.units.iter().map(|unit| bench.text(*unit)).collect();
    let holes: Vec<_> = holes.into_iter().filter(|(_, edits)| edits.len() > FEW).collect();
    let useless = |((lo, hi, operator), pieces): &((u32, u32, String), Vec<(usize, String)>)| -> Vec<usize> {
        let parts = match operator.is_empty() {
            true => vec![(*lo, *hi, HOLE.to_string())],
            false => vec![(*lo, *lo, "(".into()), (*hi, *hi, format!("{operator} ({HOLE})"))],
        };
        let edit = Edit { parts, what: String::new(), kind: Kind::Term, shared_tokens: 0, definition: None };
        let Some(mut holed) = Holed::of(bench, &texts, &edit) else { return Vec::new() };
        let mut found = Vec::new();
        for (index, piece) in pieces {
            let Some(expr) = holed.expr(bench.frontend, piece) else { continue };
            holed.put(expr);
            if !runs.may_pass(&holed.edited) {
                found.push(*index);
            }
        }
        found
    };
    let (first, second) = holes.split_at(holes.len() / 2);
    let useless: BTreeSet<usize> = std::thread::scope(|scope| {
        let other = scope.spawn(|| second.iter().flat_map(useless).collect::<Vec<usize>>());
        let own: Vec<usize> = first.iter().flat_map(useless).collect();
        match other.join() {
            Ok(more) => own.into_iter().chain(more).collect(),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    let kept = edits.iter().enumerate().filter(|(index, _)| !useless.contains(index));
    kept.map(|(_, edit)| edit.clone()).collect()
}

impl Holed {
    fn of(bench: &Workbench<'_>, texts: &[(&str, &[u8], u32)], edit: &Edit) -> Option<Holed> {
        // Other languages have no such function.
        if !bench.frontend.extensions.contains(&"c") {
            return None;
        }
        let edited = compile(bench, texts, edit, None)?;
        let known = bench.inputs_at(&edit.parts);
        let holes = edited.compiled.program.edges.iter().filter_map(|(edge, data)| match data.op {
            Op::Havoc(place, _) if edited.holds_hole(data.span) => Some((edge, place)),
            _ => None,
        });
        let holes: Vec<(EdgeId, PlaceId)> = holes.collect();
        // A piece that is compiled twice, or one beside another input of the same line, is not understood.
        let [(hole, place)] = holes.as_slice() else { return None };
        if known > 0 {
            return None;
        }
        let (hole, place) = (*hole, *place);
        Some(Holed { edited, hole, place })
    }

    /// Fills the hole.
    fn put(&mut self, expr: ExprId) {
        self.edited.compiled.program.edges[self.hole].op = Op::Assign(self.place, expr);
    }

    fn constant(&mut self, value: i128) -> ExprId {
        let program = &mut self.edited.compiled.program;
        let bits = cfa::eval::from_i128(&program.types, TypeId::INT, value);
        program.exprs.push(Expr { kind: ExprKind::Const(bits), ty: TypeId::INT, span: base::Span::NONE })
    }

    /// Whether the piece can make all failing runs pass by being `truth` whenever it is evaluated, or might by being so now and then.
    fn can_help(&mut self, runs: &Runs, truth: bool) -> bool {
        let (now, otherwise) = (self.constant(!truth as i128), self.constant(truth as i128));
        let failing = runs.failing_known();
        for known in failing {
            self.put(now);
            let mut count = Evaluations { hole: self.hole, candidates: &[], truths: Vec::new() };
            self.run(runs, &known, &mut count);
            let evaluations = count.truths.len();
            self.put(otherwise);
            if evaluations == 0 || (evaluations == 1 && !self.passes(runs, &known)) {
                return false;
            }
        }
        true
    }

    fn run(&self, runs: &Runs, known: &Known<'_>, observer: &mut dyn Observer) -> Option<interp::Run> {
        let program = &self.edited.compiled.program;
        let entry = program.function_named(&runs.entry)?;
        match known {
            Known::Given(given) => {
                let config = Config { properties: runs.properties, max_steps: runs.max_steps, ..Config::default() };
                Some(interp::run_observed(program, entry, &given.args, &mut given.inputs(program), &config, observer))
            }
            Known::Test(test) => {
                let task = Task { program, entry, properties: runs.properties };
                Some(test.run(task, runs.max_steps, observer))
            }
        }
    }

    fn passes(&self, runs: &Runs, known: &Known<'_>) -> bool {
        let Some(run) = self.run(runs, known, &mut Unobserved) else { return false };
        match known {
            Known::Given(_) => matches!(run.outcome, Outcome::Finished(_)),
            Known::Test(test) => test.result(&run) == TestResult::Passes,
        }
    }

    /// Comparisons of variables of the place with each other and with constants.
    fn comparisons(&mut self, place: &Place<'_>) -> Vec<(ExprId, String)> {
        let mut texts = Vec::new();
        let (atoms, constants) = (place.atoms(MAX_ATOMS), place.near_constants(MAX_CONSTANTS));
        let relations = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne];
        for (number, atom) in atoms.iter().enumerate() {
            let others = constants.iter().map(|value| value.to_string()).chain(atoms[number + 1..].iter().cloned());
            for other in others {
                let spelled = relations.iter().map(|op| place.spelling(TokenKind::Binary(*op)));
                texts.extend(spelled.map(|op| format!("{atom} {op} {other}")));
            }
        }
        texts.truncate(MAX_CANDIDATES);
        texts.into_iter().filter_map(|text| Some((self.expr(place.frontend, &text)?, text))).collect()
    }

    /// Terms: a constant, a variable, and a constant where a variable is not zero. `$` is what stands there.
    fn terms(&mut self, place: &Place<'_>) -> Vec<(ExprId, String)> {
        let (atoms, constants) = (place.atoms(MAX_ATOMS), place.near_constants(MAX_CONSTANTS));
        let mut found = Vec::new();
        let positive = constants.iter().filter(|value| **value > 0);
        let signed: Vec<(i128, char)> = positive.flat_map(|value| [(*value, '+'), (-*value, '-')]).collect();
        for (value, sign) in &signed {
            found.push((value.to_string(), format!("$ {sign} {}", value.abs())));
        }
        for atom in &atoms {
            found.push((atom.clone(), format!("$ + {atom}")));
            found.push((format!("0 - {atom}"), format!("$ - {atom}")));
            for (value, sign) in &signed {
                let text = format!("{atom} ? $ {sign} {} : $", value.abs());
                found.push((format!("({atom} != 0) * ({value})"), text));
            }
        }
        found.truncate(MAX_CANDIDATES);
        found.into_iter().filter_map(|(term, text)| Some((self.expr(place.frontend, &term)?, text))).collect()
    }

    /// A text as an expression where the hole is.
    fn expr(&mut self, frontend: &Frontend, text: &str) -> Option<ExprId> {
        let program = &mut self.edited.compiled.program;
        let site = Site { at: program.edges[self.hole].from, result: None };
        match (frontend.condition)(program, site, text) {
            Ok(Condition::Atom(expr)) if program.exprs[expr].ty == TypeId::INT => Some(expr),
            _ => None,
        }
    }

    /// Candidates that change something in each failing run, and nothing that matters in any other.
    fn fitting(&mut self, runs: &Runs, candidates: &[(ExprId, String)], neutral: bool) -> Vec<String> {
        let (now, otherwise) = (self.constant(neutral as i128), self.constant(!neutral as i128));
        let exprs: Vec<ExprId> = candidates.iter().map(|(expr, _)| *expr).collect();
        let mut fits = vec![true; exprs.len()];
        let failing = runs.failing_known();
        let (count, others) = (failing.len(), runs.other_known());
        for (number, known) in failing.into_iter().chain(others).enumerate() {
            self.put(now);
            let mut seen = Evaluations { hole: self.hole, candidates: &exprs, truths: Vec::new() };
            self.run(runs, &known, &mut seen);
            let fails = number < count;
            if !fails && seen.truths.len() <= 1 {
                // Where it does not matter, any truth will do.
                self.put(otherwise);
                if self.passes(runs, &known) {
                    continue;
                }
            }
            for (index, fits) in fits.iter_mut().enumerate() {
                let mut values = seen.truths.iter().map(|truths| truths[index]);
                *fits &= match fails {
                    true => values.any(|truth| truth == Some(!neutral)),
                    false => values.all(|truth| truth == Some(neutral)),
                };
            }
        }
        let fitting = candidates.iter().zip(fits).filter(|(_, fits)| *fits);
        fitting.map(|((_, text), _)| text.clone()).collect()
    }
}

/// What candidates are each time the hole is evaluated; `None` where one cannot be evaluated.
struct Evaluations<'c> {
    hole: EdgeId,
    candidates: &'c [ExprId],
    truths: Vec<Vec<Option<bool>>>,
}

impl Observer for Evaluations<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        if let Event::Edge { edge, .. } = event
            && edge == self.hole
            && self.truths.len() < MAX_EVALUATIONS
        {
            let truth = |expr: &ExprId| view.value(*expr).ok().map(|bits| bits != cfa::Bits::ZERO);
            self.truths.push(self.candidates.iter().map(truth).collect());
        }
    }
}

impl Runs<'_> {
    fn failing_known(&self) -> Vec<Known<'_>> {
        match self.tests.is_empty() {
            true => self.failing.iter().map(Known::Given).collect(),
            false => self.tests[..self.failing_tests].iter().map(Known::Test).collect(),
        }
    }

    fn other_known(&self) -> Vec<Known<'_>> {
        match self.tests.is_empty() {
            true => self.passing.iter().map(Known::Given).collect(),
            false => self.tests[self.failing_tests..].iter().map(Known::Test).collect(),
        }
    }
}
