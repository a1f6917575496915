//! Which functions may be called while they run: the strongly connected components of the call graph (Tarjan 1972). A call through a pointer may call
//! every function whose address is taken.

use crate::{Callee, EdgeId, ExprKind, FuncId, Init, Op, Program, RelocationTarget};
use rustc_hash::FxHashMap;

/// Recursive functions, with their components.
#[derive(Clone, Default, Debug)]
pub struct Recursion {
    component: FxHashMap<FuncId, u32>,
}

impl Recursion {
    pub fn of(program: &Program) -> Self {
        let mut targets = functions_with_address(program);
        targets.retain(|function| program.automaton(*function).is_some());
        let calls: Vec<Vec<FuncId>> = program.functions.ids().map(|one| called(program, &targets, one)).collect();
        let mut search = ComponentSearch { calls: &calls, number: vec![0; calls.len()], ..ComponentSearch::default() };
        for function in program.functions.ids() {
            if search.number[function.0 as usize] == 0 {
                search.visit(function);
            }
        }
        Recursion { component: search.component }
    }

    /// The component of a recursive function.
    pub fn component(&self, function: FuncId) -> Option<u32> {
        self.component.get(&function).copied()
    }

    pub fn is_recursive(&self, function: FuncId) -> bool {
        self.component.contains_key(&function)
    }

    /// The recursive functions, ascending.
    pub fn functions(&self) -> Vec<FuncId> {
        let mut all: Vec<FuncId> = self.component.keys().copied().collect();
        all.sort_unstable();
        all
    }
}

/// The functions that a pointer may name, ascending.
pub fn functions_with_address(program: &Program) -> Vec<FuncId> {
    let in_code = program.exprs.values().filter_map(|expr| match expr.kind {
        ExprKind::FuncAddr(function) => Some(function),
        _ => None,
    });
    let in_data = program.vars.values().flat_map(|var| match &var.init {
        Init::Static(init) => init.relocations.as_slice(),
        _ => &[],
    });
    let in_data = in_data.filter_map(|relocation| match relocation.target {
        RelocationTarget::Function(function) => Some(function),
        RelocationTarget::Var(_) => None,
    });
    let mut all: Vec<FuncId> = in_code.chain(in_data).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The functions with a body that a function may call itself. Library functions that call back (`qsort`) are not modelled.
fn called(program: &Program, targets: &[FuncId], function: FuncId) -> Vec<FuncId> {
    let Some(automaton) = program.automaton(function) else { return Vec::new() };
    let mut found = Vec::new();
    for edge in automaton.edges.clone().map(EdgeId) {
        match program.edges[edge].op {
            Op::Call { callee: Callee::Direct(other), .. } if program.automaton(other).is_some() => found.push(other),
            Op::Call { callee: Callee::Indirect(_), .. } => found.extend(targets),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[derive(Default)]
struct ComponentSearch<'c> {
    calls: &'c [Vec<FuncId>],
    /// In the order of the search, from 1; 0: not seen.
    number: Vec<u32>,
    next: u32,
    /// Functions whose component is not complete.
    open: Vec<FuncId>,
    component: FxHashMap<FuncId, u32>,
}

impl ComponentSearch<'_> {
    /// Without recursion: programs have long chains of calls.
    fn visit(&mut self, root: FuncId) {
        let mut low = vec![0; self.calls.len()];
        let mut path: Vec<(FuncId, usize)> = Vec::new();
        self.enter(root, &mut low, &mut path);
        while let Some((function, at)) = path.last().copied() {
            let index = function.0 as usize;
            if let Some(next) = self.calls[index].get(at).copied() {
                path.last_mut().expect("not empty").1 += 1;
                if self.number[next.0 as usize] == 0 {
                    self.enter(next, &mut low, &mut path);
                } else if self.open.contains(&next) {
                    low[index] = low[index].min(self.number[next.0 as usize]);
                }
                continue;
            }
            path.pop();
            if let Some((caller, _)) = path.last() {
                let caller = caller.0 as usize;
                low[caller] = low[caller].min(low[index]);
            }
            if low[index] == self.number[index] {
                self.close(function);
            }
        }
    }

    fn enter(&mut self, function: FuncId, low: &mut [u32], path: &mut Vec<(FuncId, usize)>) {
        self.next += 1;
        self.number[function.0 as usize] = self.next;
        low[function.0 as usize] = self.next;
        self.open.push(function);
        path.push((function, 0));
    }

    fn close(&mut self, function: FuncId) {
        let at = self.open.iter().position(|one| *one == function).expect("it was entered");
        let members = self.open.split_off(at);
        if members.len() > 1 || self.calls[function.0 as usize].contains(&function) {
            self.component.extend(members.iter().map(|member| (*member, function.0)));
        }
    }
}
