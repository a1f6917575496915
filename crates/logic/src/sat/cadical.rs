//! CaDiCaL in process.

use super::{ClauseSink, SatBackend, SatLit, SatResult};
use base::Budget;
use cadical_sys::{CaDiCal, Status, Terminator};
use std::cell::Cell;
use std::rc::Rc;

pub struct Cadical {
    solver: CaDiCal,
    /// What the connected terminator looks at; replaced for each call.
    current: Rc<Current>,
    connected: bool,
}

#[derive(Default)]
struct Current {
    budget: std::cell::RefCell<Budget>,
    calls: Cell<u32>,
}

/// The flag is looked at every time, the clock only now and then: CaDiCaL asks tens of thousands of times a second.
struct Stop(Rc<Current>);

const CALLS_PER_CLOCK: u32 = 16;
const TICKS_OF_EFFORT: u64 = 1000;

impl Terminator for Stop {
    fn terminated(&mut self) -> bool {
        let budget = self.0.budget.borrow();
        if budget.cancelled() {
            return true;
        }
        let calls = self.0.calls.get().wrapping_add(1);
        self.0.calls.set(calls);
        calls.is_multiple_of(CALLS_PER_CLOCK) && budget.expired()
    }
}

impl Cadical {
    pub fn new() -> Self {
        let mut solver = CaDiCal::new();
        solver.set("quiet", 1);
        // Tried anew for every question, and paid by all of them: most are small changes of the one before.
        solver.set("lucky", 0);
        Cadical { solver, current: Rc::new(Current::default()), connected: false }
    }

    /// CaDiCaL's estimate of cache lines touched in search: of all that it counts, the closest to time.
    fn ticks(&self) -> u64 {
        self.solver.get_statistic_value("ticks").max(0) as u64
    }
}

impl Default for Cadical {
    fn default() -> Self {
        Self::new()
    }
}

impl ClauseSink for Cadical {
    fn add_clause(&mut self, clause: &[SatLit]) {
        match *clause {
            [a] => self.solver.clause1(a.0),
            [a, b] => self.solver.clause2(a.0, b.0),
            [a, b, c] => self.solver.clause3(a.0, b.0, c.0),
            _ => {
                for lit in clause {
                    self.solver.add(lit.0);
                }
                self.solver.add(0);
            }
        }
    }
}

impl SatBackend for Cadical {
    fn solve(&mut self, assumptions: &[SatLit], budget: &Budget) -> SatResult {
        if budget.expired() {
            return SatResult::Unknown;
        }
        *self.current.budget.borrow_mut() = budget.clone();
        if !self.connected {
            self.solver.connect_terminator(Stop(self.current.clone()));
            self.connected = true;
        }
        for lit in assumptions {
            self.solver.assume(lit.0);
        }
        if let Some(conflicts) = budget.conflicts() {
            self.solver.limit("conflicts", conflicts.min(i32::MAX as u64) as i32);
        }
        if let Some(effort) = budget.effort() {
            let ticks = effort.saturating_mul(TICKS_OF_EFFORT).min(i32::MAX as u64);
            self.solver.limit("ticks", ticks as i32);
        }
        let before = self.ticks();
        let status = self.solver.solve();
        budget.spend((self.ticks() - before) / TICKS_OF_EFFORT + 1);
        match status {
            Status::SATISFIABLE => SatResult::Sat,
            Status::UNSATISFIABLE => SatResult::Unsat,
            Status::UNKNOWN => SatResult::Unknown,
        }
    }

    fn value(&mut self, lit: SatLit) -> bool {
        // For a negative literal CaDiCaL answers with the literal itself when it is true.
        self.solver.val(lit.0) == lit.0
    }

    fn failed(&mut self, assumption: SatLit) -> bool {
        self.solver.failed(assumption.0)
    }

    fn prefer(&mut self, lit: SatLit) {
        self.solver.phase(lit.0);
    }

    fn forget_preference(&mut self, lit: SatLit) {
        self.solver.unphase(lit.0);
    }

    fn conflicts(&self) -> u64 {
        self.solver.get_statistic_value("conflicts").max(0) as u64
    }
}
