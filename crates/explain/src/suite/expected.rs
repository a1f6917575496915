//! A test with an expected output or result, as a run of the program with expectations in it ([`cfa::environment::expectation`]): the run that has
//! the wrong output or result violates an assertion there, the one that has the right one does not.

use super::{Test, TestResult, without_end};
use crate::Failure;
use crate::replay;
use cfa::environment::expectation::{Expectation, Expectations, Wanted, expect, first_value};
use cfa::interp::{Event, FillRequest, InputRequest, InputSource, Inputs, Observer, Run, View};
use cfa::{Bits, Callee, EdgeId, ExprId, FuncId, Op, Program, Property, PropertySet, Task, eval};
use evidence::Tape;
use std::collections::BTreeMap;

/// The program with expectations.
pub struct ExpectingProgram {
    pub program: Program,
    expectations: Expectations,
}

/// Outputs of which expectations are known; of longer outputs, those around the first wrong one.
const MOST: usize = 2048;
/// Of these, so many before the first wrong one.
const BEFORE: usize = 512;

/// What a test expects, position by position.
#[derive(Default)]
struct Answers {
    /// Where the first output is.
    start: i128,
    outputs: Vec<(Wanted, Vec<i128>)>,
    /// Of all positions behind.
    rest: Option<Wanted>,
    result: i128,
}

impl ExpectingProgram {
    /// For the tests of a program that fail.
    pub fn of(plain: Task<'_>, tests: &[&Test], max_steps: u64) -> Self {
        let mut program = plain.program.clone();
        let length = |test: &&Test| answers(test, plain, None, max_steps).outputs.len();
        let last = tests.iter().map(length).max().unwrap_or(0).min(MOST) as u32 + 1;
        let expectations = expect(&mut program, plain.entry, last);
        ExpectingProgram { program, expectations }
    }

    pub fn task(&self, entry: FuncId, properties: PropertySet) -> Task<'_> {
        let asserted: Vec<Property> = properties.iter().chain([Property::Assertion]).collect();
        Task { program: &self.program, entry, properties: PropertySet::of(&asserted) }
    }

    /// The run of a test that fails in the program without expectations, as a failure; `None` if it is not one here, which happens
    /// where a run does not end.
    pub fn failure<'p>(&'p self, test: &Test, plain: Task<'_>, max_steps: u64) -> Option<Failure<'p>> {
        let task = self.task(plain.entry, plain.properties);
        let answers = answers(test, plain, Some(&self.expectations), max_steps);
        let mut inputs = Answered { own: test.inputs(&self.program), answers: &answers, program: self };
        let words = test.words(plain.program.function_name(plain.entry));
        replay::failure_within(max_steps, task, words, &mut inputs).ok()
    }

    /// The run of a test that passes; `None` if it does not end regularly.
    pub fn passing(&self, test: &Test, plain: Task<'_>, max_steps: u64) -> Option<Tape> {
        let task = self.task(plain.entry, plain.properties);
        let answers = answers(test, plain, Some(&self.expectations), max_steps);
        let mut inputs = Answered { own: test.inputs(&self.program), answers: &answers, program: self };
        let words = test.words(plain.program.function_name(plain.entry));
        let (run, tape) = replay::recorded(task, words, &mut inputs);
        matches!(run.outcome, cfa::interp::Outcome::Finished(_)).then_some(tape)
    }
}

/// Inputs of a test, and what is expected of it.
struct Answered<'p> {
    own: super::TestInputs<'p>,
    answers: &'p Answers,
    program: &'p ExpectingProgram,
}

impl Inputs for Answered<'_> {
    fn next(&mut self, request: &InputRequest) -> Option<Bits> {
        let InputSource::Edge { edge, .. } = request.source else { return self.own.next(request) };
        let ExpectingProgram { program, expectations } = self.program;
        let Some(expectation) = expectations.inputs.get(&edge) else { return self.own.next(request) };
        let Answers { start, outputs, rest, result } = self.answers;
        let at = |position: u32| (position as usize).checked_sub(1).and_then(|index| outputs.get(index));
        let value = match *expectation {
            Expectation::Start => *start,
            Expectation::Result => *result,
            Expectation::Output(0) => Wanted::Unknown.number(),
            // Behind the last position there may be outputs that do not fit.
            Expectation::Output(last) if last == expectations.last && outputs.len() >= last as usize => {
                Wanted::Unknown.number()
            }
            Expectation::Output(position) => {
                at(position).map(|output| output.0).or(*rest).unwrap_or(Wanted::Nothing).number()
            }
            Expectation::Value(position, index) => {
                at(position).and_then(|output| output.1.get(index as usize)).copied().unwrap_or(0)
            }
        };
        Some(eval::from_i128(&program.types, request.ty, value))
    }

    fn fill(&mut self, request: &FillRequest, bytes: &mut [u8]) {
        self.own.fill(request, bytes);
    }
}

/// The outputs of a run, in order.
#[derive(Default)]
struct Outputs {
    /// The call, what was written before it, and its values.
    calls: Vec<Output>,
    /// The last edge that can end the run, and its value.
    end: Option<(EdgeId, Option<(ExprId, Bits)>)>,
    written: usize,
}

struct Output {
    edge: EdgeId,
    /// Where its text begins and ends in the whole output.
    from: usize,
    to: usize,
    format: Option<Vec<u8>>,
    first: usize,
    /// Arguments by their number.
    values: BTreeMap<usize, (ExprId, Bits)>,
    strings: BTreeMap<usize, Vec<u8>>,
}

impl Observer for Outputs {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let Event::Edge { edge, .. } = event else { return };
        let program = view.program();
        match program.edges[edge].op {
            Op::Call { callee: Callee::Direct(function), args, .. } => {
                let Some(first) = first_value(program, function) else { return };
                let args = program.call_args(args);
                let mut output = Output {
                    edge,
                    from: self.written,
                    to: view.stdout().len(),
                    format: first.checked_sub(1).and_then(|at| text_at(view, *args.get(at)?)),
                    first,
                    values: BTreeMap::new(),
                    strings: BTreeMap::new(),
                };
                self.written = output.to;
                for (index, arg) in args.iter().enumerate().skip(first.min(args.len())) {
                    if let Ok(bits) = view.value(*arg) {
                        output.values.insert(index, (*arg, bits));
                    }
                    if program.types.is_pointer(program.exprs[*arg].ty)
                        && let Some(text) = text_at(view, *arg)
                    {
                        output.strings.insert(index, text);
                    }
                }
                self.calls.push(output);
            }
            Op::Return(value) | Op::Halt(value) => {
                self.end = Some((edge, value.and_then(|value| Some((value, view.value(value).ok()?)))));
            }
            _ => {}
        }
    }
}

/// The string that an expression points to.
fn text_at(view: &View<'_, '_>, expr: ExprId) -> Option<Vec<u8>> {
    const LONGEST: u64 = 10_000;
    let address = view.value(expr).ok()?.lo;
    let mut text = Vec::new();
    while (text.len() as u64) < LONGEST {
        match view.bytes(address.wrapping_add(text.len() as u64), 1).ok()?.first()? {
            0 => return Some(text),
            byte => text.push(*byte),
        }
    }
    None
}

/// What is expected at each output: what the run writes as far as it is right, then what the outputs that it has can write of the rest. Without numbers of
/// sites, only how many there are.
fn answers(test: &Test, plain: Task<'_>, sites: Option<&Expectations>, max_steps: u64) -> Answers {
    let mut outputs = Outputs::default();
    let run = test.run(plain, max_steps, &mut outputs);
    let program = plain.program;
    let wanted = test.expected.stdout.as_deref();
    let site = |edge: EdgeId| sites.and_then(|sites| sites.sites.get(&edge)).copied().unwrap_or(0);
    let numbers = |output: &Output, values: &BTreeMap<usize, Bits>| -> Vec<i128> {
        let compared = output.values.iter().filter(|(_, (expr, _))| is_integer(program, *expr));
        compared
            .map(|(index, (expr, own))| {
                eval::to_i128(&program.types, program.exprs[*expr].ty, values.get(index).copied().unwrap_or(*own))
            })
            .collect()
    };
    let as_written = |output: &Output| -> BTreeMap<usize, Bits> {
        output.values.iter().map(|(at, (_, bits))| (*at, *bits)).collect()
    };
    let mut found = Answers { start: 1, rest: Some(Wanted::Unknown), ..Answers::default() };
    let mut position = 0;
    let mut first_wrong = None;
    if let Some(wanted) = wanted {
        // Every place that writes, the last ones first.
        let mut known: Vec<&Output> = Vec::new();
        for output in outputs.calls.iter().rev() {
            if !known.iter().any(|other| other.edge == output.edge) {
                known.push(output);
            }
        }
        for (index, output) in outputs.calls.iter().enumerate() {
            let written = &run.stdout[output.from..output.to];
            let rest = wanted.get(output.from..).unwrap_or_default();
            position = output.to.min(wanted.len());
            if rest.starts_with(written) || without_end(rest) == without_end(written) {
                found.outputs.push((Wanted::Site(site(output.edge)), numbers(output, &as_written(output))));
                continue;
            }
            first_wrong = Some(index);
            position = output.from;
            break;
        }
        let mut rest = wanted.get(position..).unwrap_or_default();
        let is_complete = first_wrong.is_none() && !matches!(test.result(&run), TestResult::WrongOutput);
        let mut next = first_wrong;
        while !rest.is_empty() && !is_complete {
            // What the run writes here comes first, if it can be what is expected.
            let own = next.and_then(|index| outputs.calls.get(index));
            let first = own.into_iter().chain(known.iter().copied());
            let fits = |output: &Output| {
                let (values, left) = scan(program, output, rest)?;
                let changes = Some(output.edge) != own.map(|own| own.edge)
                    || first_wrong != next
                    || differ(&values, &as_written(output));
                (left.len() < rest.len() && changes)
                    .then(|| (Wanted::Site(site(output.edge)), numbers(output, &values), left))
            };
            let Some((wanted, values, left)) = first.into_iter().find_map(fits) else { break };
            found.outputs.push((wanted, values));
            next = next.map(|index| index + 1);
            rest = left;
        }
        let is_known = rest.iter().all(u8::is_ascii_whitespace) || is_complete;
        if is_known {
            found.rest = Some(Wanted::Nothing);
        } else if let Some(index) = first_wrong {
            if next == first_wrong {
                found.outputs.push((Wanted::NotSite(site(outputs.calls[index].edge)), Vec::new()));
            }
        } else {
            found.outputs.push((Wanted::Something, Vec::new()));
        }
    }
    // Where the first difference is late, what is long before it is left alone.
    let late = first_wrong.unwrap_or(outputs.calls.len()).saturating_sub(MOST - BEFORE).min(found.outputs.len());
    found.start -= late as i128;
    found.outputs.drain(..late);
    found.outputs.truncate(MOST);
    if let Some((_, Some((expr, got)))) = outputs.end {
        let got = eval::to_i128(&program.types, program.exprs[expr].ty, got);
        found.result = test.expected.result.map_or(got, i128::from);
    }
    found
}

fn is_integer(program: &Program, expr: ExprId) -> bool {
    matches!(program.types.get(program.exprs[expr].ty), cfa::Type::Int(_))
}

fn differ(values: &BTreeMap<usize, Bits>, written: &BTreeMap<usize, Bits>) -> bool {
    values.iter().any(|(index, value)| written.get(index) != Some(value))
}

/// The values with which an output would be what a text begins with, and the rest of the text; `None` if there are none.
fn scan<'t>(program: &Program, output: &Output, mut text: &'t [u8]) -> Option<(BTreeMap<usize, Bits>, &'t [u8])> {
    let mut values = BTreeMap::new();
    let is_character = |index: usize| {
        let (expr, _) = output.values.get(&index)?;
        Some(program.exprs[*expr].ty)
    };
    let as_value = |index: usize, number: i128| Some(eval::from_i128(&program.types, is_character(index)?, number));
    let Some(format) = &output.format else {
        // One character.
        let byte = *text.first()?;
        values.insert(output.first, as_value(output.first, byte.into())?);
        return Some((values, &text[1..]));
    };
    let mut next = output.first;
    let mut format = format.as_slice();
    while let Some((letter, rest)) = format.split_first() {
        format = rest;
        if *letter != b'%' || rest.first() == Some(&b'%') {
            if *letter == b'%' {
                format = &rest[1..];
            }
            // The last line end may be missing.
            match text.split_first() {
                Some((byte, rest)) if byte == letter => text = rest,
                None if *letter == b'\n' && format.is_empty() => {}
                _ => return None,
            }
            continue;
        }
        let end = format.iter().position(|byte| byte.is_ascii_alphabetic() && !b"hlzjtqL".contains(byte))?;
        let conversion = format[end];
        // Flags and widths only add spaces and zeros.
        format = &format[end + 1..];
        let index = next;
        next += 1;
        match conversion {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                let radix = match conversion {
                    b'x' | b'X' => 16,
                    b'o' => 8,
                    _ => 10,
                };
                let spaces = text.iter().take_while(|byte| **byte == b' ').count();
                let sign = usize::from(matches!(text.get(spaces), Some(b'-' | b'+')));
                let digits = text[spaces + sign..].iter().take_while(|byte| (**byte as char).is_digit(radix)).count();
                let number = std::str::from_utf8(&text[spaces..spaces + sign + digits]).ok()?;
                values.insert(index, as_value(index, i128::from_str_radix(number, radix).ok()?)?);
                text = &text[spaces + sign + digits..];
            }
            b'c' => {
                let (byte, rest) = text.split_first()?;
                values.insert(index, as_value(index, (*byte).into())?);
                text = rest;
            }
            b's' => text = text.strip_prefix(output.strings.get(&index)?.as_slice())?,
            _ => return None,
        }
    }
    Some((values, text))
}

/// The run of a test, in a program without expectations.
pub fn run_of(test: &Test, task: Task<'_>, max_steps: u64) -> (Run, TestResult) {
    let run = test.run(task, max_steps, &mut super::Unobserved);
    let result = test.result(&run);
    (run, result)
}
