//! Conditions as a list of operations on intervals and truth values, each after those that it needs: evaluated often, compiled once.

use super::Literal;
use super::interval::{Interval, Truth};
use crate::float::origin::{Operation, Origin};
use crate::pool::TermPool;
use crate::term::{Sort, TermId, TermOp};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Longer programs are not made.
const MOST_INSTRUCTIONS: usize = 40_000;

/// How a term is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Kind {
    Condition,
    Single,
    Double,
}

impl Kind {
    fn float(single: bool) -> Kind {
        if single { Kind::Single } else { Kind::Double }
    }
}

/// A register is the number of the instruction that computes it.
type Register = u32;

#[derive(Clone, Copy, Debug)]
enum Instruction {
    Truth(Truth),
    Not(Register),
    And(Register, Register),
    Xor(Register, Register),
    Choose(Register, Register, Register),
    Set(Interval),
    /// By the number of the variable.
    Variable(usize),
    ChooseSet(Register, Register, Register),
    /// A choice between choices whose conditions compare what is chosen, as `x < low ? low : x` does: these cases, by number.
    Cases(u32, u32),
    /// An operation on floats, and whether it is one on `float`.
    Float(Operation, bool, Register, Register),
    SameEncoding(Register, Register),
}

/// What is chosen where conditions hold or fail.
struct Case {
    chosen: Register,
    conditions: SmallVec<[(Register, bool); 4]>,
    limits: SmallVec<[Limit; 4]>,
}

/// What is chosen is compared, and the comparison holds or fails.
struct Limit {
    /// Whether it is compared as the smaller one.
    is_smaller: bool,
    other: Register,
    holds: bool,
}

/// A choice is between so many cases at most.
const MOST_CASES: usize = 8;

/// A variable that is used as a float.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    pub term: TermId,
    pub single: bool,
}

pub struct Program {
    instructions: Vec<Instruction>,
    cases: Vec<Case>,
    /// The registers of the conditions, and whether their negations are meant.
    conditions: Vec<(Register, bool)>,
    pub variables: Vec<Variable>,
    truths: Vec<Truth>,
    sets: Vec<Interval>,
}

impl Program {
    /// `None` if the conditions are too large, or have no float in them.
    pub fn new(pool: &TermPool, conditions: &[Literal]) -> Option<Program> {
        let mut compiler = Compiler {
            pool,
            done: FxHashMap::default(),
            instructions: Vec::new(),
            cases: Vec::new(),
            variables: Vec::new(),
        };
        for condition in conditions {
            compiler.compile((condition.term, Kind::Condition))?;
        }
        let register = |one: &Literal| (compiler.done[&(one.term, Kind::Condition)], one.negated);
        let registers = conditions.iter().map(register).collect();
        let Compiler { instructions, cases, variables, .. } = compiler;
        if !instructions.iter().any(|one| matches!(one, Instruction::Float(..))) {
            return None;
        }
        let count = instructions.len();
        Some(Program {
            instructions,
            cases,
            conditions: registers,
            variables,
            truths: vec![Truth::OPEN; count],
            sets: vec![Interval::ALL; count],
        })
    }

    pub fn len(&self) -> usize {
        self.instructions.len()
    }

    /// Computes all registers, where the variables are in these sets.
    pub fn run(&mut self, variables: &[Interval]) {
        let Program { instructions, cases, truths, sets, .. } = self;
        for (at, instruction) in instructions.iter().enumerate() {
            let truth = |register: Register| truths[register as usize];
            let set = |register: Register| sets[register as usize];
            match *instruction {
                Instruction::Truth(truth) => truths[at] = truth,
                Instruction::Not(a) => truths[at] = truth(a).not(),
                Instruction::And(a, b) => truths[at] = truth(a).and(truth(b)),
                Instruction::Xor(a, b) => truths[at] = truth(a).xor(truth(b)),
                Instruction::Choose(c, a, b) => {
                    truths[at] = match truth(c) {
                        Truth { can_fail: false, .. } => truth(a),
                        Truth { can_hold: false, .. } => truth(b),
                        _ => truth(a).join(truth(b)),
                    }
                }
                Instruction::Set(interval) => sets[at] = interval,
                Instruction::Variable(number) => sets[at] = variables[number],
                Instruction::ChooseSet(c, a, b) => {
                    sets[at] = match truth(c) {
                        Truth { can_fail: false, .. } => set(a),
                        Truth { can_hold: false, .. } => set(b),
                        _ => set(a).join(set(b)),
                    }
                }
                Instruction::Cases(first, end) => {
                    let cases = &cases[first as usize..end as usize];
                    let possible = cases.iter().filter_map(|case| case.values(truths, sets));
                    sets[at] = possible.reduce(Interval::join).unwrap_or(Interval::EMPTY);
                }
                Instruction::SameEncoding(a, b) => {
                    let (a, b) = (set(a), set(b));
                    let can_hold = a.equal(b).can_hold || a.nan && b.nan;
                    truths[at] = Truth { can_hold, can_fail: true };
                }
                Instruction::Float(operation, single, a, b) => {
                    let same = a == b;
                    let (a, b) = (set(a), set(b));
                    match operation {
                        Operation::Add => sets[at] = a.add(b, single),
                        Operation::Sub => sets[at] = a.add(b.neg(), single),
                        Operation::Mul if same => sets[at] = a.square(single),
                        Operation::Mul => sets[at] = a.mul(b, single),
                        Operation::Div => sets[at] = a.div(b, single),
                        Operation::Sqrt => sets[at] = a.sqrt(single),
                        Operation::Neg => sets[at] = a.neg(),
                        Operation::Abs => sets[at] = a.abs(),
                        Operation::Convert => sets[at] = if single { a.to_single() } else { a },
                        // Compiled to a set.
                        Operation::FromSigned | Operation::FromUnsigned => {}
                        Operation::Less => truths[at] = a.less(b),
                        Operation::LessEqual => truths[at] = a.less_equal(b),
                        Operation::Equal => truths[at] = a.equal(b),
                        Operation::IsNan => truths[at] = a.is_nan(),
                        Operation::IsInfinite => truths[at] = a.is_infinite(),
                        Operation::IsZero => truths[at] = a.is_zero(),
                    }
                }
            }
        }
    }

    /// How many conditions there are.
    pub fn conditions(&self) -> usize {
        self.conditions.len()
    }

    /// What a condition, by its number, is after a run.
    pub fn truth(&self, condition: usize) -> Truth {
        let (register, negated) = self.conditions[condition];
        let truth = self.truths[register as usize];
        if negated { truth.not() } else { truth }
    }
}

impl Case {
    /// What is chosen in this case; `None` if it cannot be.
    fn values(&self, truths: &[Truth], sets: &[Interval]) -> Option<Interval> {
        let can_be = |(register, holds): &(Register, bool)| {
            let truth = truths[*register as usize];
            if *holds { truth.can_hold } else { truth.can_fail }
        };
        if !self.conditions.iter().all(can_be) {
            return None;
        }
        let mut set = sets[self.chosen as usize];
        for limit in &self.limits {
            let other = sets[limit.other as usize];
            // Comparisons with NaN fail.
            if !limit.holds && other.nan {
                continue;
            }
            if limit.is_smaller == limit.holds {
                set.high = set.high.min(other.high);
            } else {
                set.low = set.low.max(other.low);
            }
            set.nan &= !limit.holds;
        }
        (set.has_numbers() || set.nan).then_some(set)
    }
}

struct Compiler<'p> {
    pool: &'p TermPool,
    done: FxHashMap<(TermId, Kind), Register>,
    instructions: Vec<Instruction>,
    cases: Vec<Case>,
    variables: Vec<Variable>,
}

impl Compiler<'_> {
    /// Without recursion: terms may be very deep.
    fn compile(&mut self, wanted: (TermId, Kind)) -> Option<()> {
        let mut open = vec![wanted];
        while let Some(&(term, kind)) = open.last() {
            if self.done.contains_key(&(term, kind)) {
                open.pop();
                continue;
            }
            let before = open.len();
            let (needed, count) = self.needed(term, kind);
            open.extend(needed[..count].iter().filter(|one| !self.done.contains_key(*one)));
            if open.len() > before {
                continue;
            }
            open.pop();
            let registers = needed.map(|one| self.done.get(&one).copied().unwrap_or(0));
            let instruction = self.instruction(term, kind, registers);
            if self.instructions.len() == MOST_INSTRUCTIONS {
                return None;
            }
            self.done.insert((term, kind), self.instructions.len() as u32);
            self.instructions.push(instruction);
        }
        Some(())
    }

    /// The operation on floats that gives a term of a kind, if it is one.
    fn origin(&self, term: TermId, kind: Kind) -> Option<&Origin> {
        let origin = self.pool.floats.get(&term)?;
        let fits = kind == Kind::Condition || kind == Kind::float(origin.single);
        fits.then_some(origin)
    }

    /// What has to be computed before a term: the first ones of these.
    fn needed(&self, term: TermId, kind: Kind) -> ([(TermId, Kind); 3], usize) {
        let nothing = (term, kind);
        if let Some(Origin { operation, single, operands: [a, b] }) = self.origin(term, kind) {
            let operand = match operation {
                Operation::Convert => Kind::float(!single),
                Operation::FromSigned | Operation::FromUnsigned => return ([nothing; 3], 0),
                _ => Kind::float(*single),
            };
            return ([(*a, operand), (*b, operand), nothing], 2);
        }
        let args = self.pool.args(term);
        match (self.pool.op(term), kind) {
            (TermOp::Ite, _) => ([(args[0], Kind::Condition), (args[1], kind), (args[2], kind)], 3),
            (TermOp::Not, Kind::Condition) => ([(args[0], kind), nothing, nothing], 1),
            (TermOp::And | TermOp::Xor, Kind::Condition) => ([(args[0], kind), (args[1], kind), nothing], 2),
            (TermOp::Eq, Kind::Condition) => match self.encoding(args[0], args[1]) {
                Some(float) => ([(args[0], float), (args[1], float), nothing], 2),
                None => ([nothing; 3], 0),
            },
            _ => ([nothing; 3], 0),
        }
    }

    /// The format of two encodings that are compared bit by bit, if one of them is the result of an operation.
    fn encoding(&self, a: TermId, b: TermId) -> Option<Kind> {
        let origin = self.pool.floats.get(&a).or_else(|| self.pool.floats.get(&b))?;
        (self.pool.sort(a) != Sort::Bool).then_some(Kind::float(origin.single))
    }

    fn instruction(&mut self, term: TermId, kind: Kind, [a, b, c]: [Register; 3]) -> Instruction {
        if let Some(origin @ Origin { operation, single, .. }) = self.origin(term, kind) {
            return match operation {
                Operation::FromSigned | Operation::FromUnsigned => Instruction::Set(self.integers(origin)),
                _ => Instruction::Float(*operation, *single, a, b),
            };
        }
        let args = self.pool.args(term);
        match (self.pool.op(term), kind) {
            (TermOp::Bool, _) => Instruction::Truth(Truth::is(term == TermId::TRUE)),
            (TermOp::Not, Kind::Condition) => Instruction::Not(a),
            (TermOp::And, Kind::Condition) => Instruction::And(a, b),
            (TermOp::Xor, Kind::Condition) => Instruction::Xor(a, b),
            (TermOp::Ite, Kind::Condition) => Instruction::Choose(a, b, c),
            (TermOp::Eq, Kind::Condition) if self.encoding(args[0], args[1]).is_some() => {
                Instruction::SameEncoding(a, b)
            }
            (_, Kind::Condition) => Instruction::Truth(Truth::OPEN),
            (TermOp::Ite, _) => self.cases(term, kind).unwrap_or(Instruction::ChooseSet(a, b, c)),
            (TermOp::Const, _) => {
                let value = constant(self.pool, term, kind == Kind::Single);
                Instruction::Set(value.map_or(Interval::NAN, Interval::point))
            }
            (TermOp::Var, _) => {
                self.variables.push(Variable { term, single: kind == Kind::Single });
                Instruction::Variable(self.variables.len() - 1)
            }
            _ => Instruction::Set(Interval::ALL),
        }
    }

    /// A choice as its cases, if some condition compares what is chosen.
    fn cases(&mut self, choice: TermId, kind: Kind) -> Option<Instruction> {
        let mut open: Vec<(TermId, Vec<(TermId, bool)>)> = vec![(choice, Vec::new())];
        let mut found = Vec::new();
        while let Some((term, path)) = open.pop() {
            match self.pool.ternary(term, TermOp::Ite).filter(|_| self.origin(term, kind).is_none()) {
                Some((cond, yes, no)) if found.len() + open.len() < MOST_CASES => {
                    for (branch, holds) in [(yes, true), (no, false)] {
                        let mut path = path.clone();
                        path.push((cond, holds));
                        open.push((branch, path));
                    }
                }
                _ => {
                    let limits = path.iter().flat_map(|(cond, holds)| self.limits(*cond, *holds, (term, kind)));
                    let limits = limits.collect();
                    let condition =
                        |(cond, holds): &(TermId, bool)| Some((self.register(*cond, Kind::Condition)?, *holds));
                    let conditions = path.iter().map(condition).collect::<Option<_>>()?;
                    found.push(Case { chosen: self.register(term, kind)?, conditions, limits });
                }
            }
        }
        if found.iter().all(|case| case.limits.is_empty()) {
            return None;
        }
        let first = self.cases.len() as u32;
        self.cases.extend(found);
        Some(Instruction::Cases(first, self.cases.len() as u32))
    }

    fn register(&self, term: TermId, kind: Kind) -> Option<Register> {
        self.done.get(&(term, kind)).copied()
    }

    /// What a condition that holds or fails says about a term by comparing it.
    fn limits(&self, cond: TermId, holds: bool, (chosen, kind): (TermId, Kind)) -> SmallVec<[Limit; 2]> {
        let mut found = SmallVec::new();
        let mut open = vec![(cond, holds)];
        while let Some((cond, holds)) = open.pop() {
            if let Some(Origin { operation, operands: [a, b], .. }) = self.pool.floats.get(&cond) {
                if !matches!(operation, Operation::Less | Operation::LessEqual) {
                    continue;
                }
                for (one, other, is_smaller) in [(*a, *b, true), (*b, *a, false)] {
                    if one == chosen
                        && let Some(other) = self.register(other, kind)
                    {
                        found.push(Limit { is_smaller, other, holds });
                    }
                }
            } else if let Some(inner) = self.pool.unary(cond, TermOp::Not) {
                open.push((inner, !holds));
            } else if let Some((a, b)) = self.pool.binary(cond, TermOp::And).filter(|_| holds) {
                open.extend([(a, true), (b, true)]);
            }
        }
        found
    }

    /// All integers of a width as floats.
    fn integers(&self, origin: &Origin) -> Interval {
        let width = self.pool.width(origin.operands[0]) as i32;
        let all = match origin.operation {
            Operation::FromSigned => Interval { low: -(2f64.powi(width - 1)), high: 2f64.powi(width - 1), nan: false },
            _ => Interval { low: 0.0, high: 2f64.powi(width), nan: false },
        };
        if origin.single { all.to_single() } else { all }
    }
}

/// The number that a constant encodes; `None` for NaN.
pub fn constant(pool: &TermPool, term: TermId, single: bool) -> Option<f64> {
    let bits = pool.as_u64(term)?;
    let value = if single { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
    (!value.is_nan()).then_some(value)
}
