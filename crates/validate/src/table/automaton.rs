//! Protocol automata → table (Beyer et al. 2022, section 3.1). An edge of the automaton is taken with an operation that its source-code guard matches,
//! where its assumption holds afterwards. A state waits for operations that no edge matches, and also while the next operation matches the
//! same edge again: which of them the witness describes is unknown.

use super::{Rule, Stays, TOO_LARGE, Table};
use crate::condition::{Check, Conditions, NOT_KEPT, OTHER_FUNCTION, Returned};
use crate::lifetimes::Point;
use crate::places::Places;
use base::Budget;
use cfa::{Callee, EdgeId, FuncId, LocId, Op, PlaceKind, VarKind};
use encode::Moment;
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use witness::model::{Automaton, Edge, Guard};

pub fn table(
    automaton: &Automaton,
    places: &Places<'_>,
    conditions: &mut Conditions,
    entry: FuncId,
    budget: &Budget,
) -> Result<Table, String> {
    let automaton = &*places.source.with_trusted_offsets(automaton);
    let numbers: HashMap<&str, u32> =
        automaton.nodes.iter().enumerate().map(|(index, node)| (node.id.as_str(), index as u32)).collect();
    let Some(start) = automaton.nodes.iter().position(|node| node.entry) else {
        return Err("the automaton has no entry".into());
    };
    if automaton.edges.iter().any(|edge| edge.guard.is_concurrent()) {
        return Err("threads are not supported".into());
    }
    let mut table = Table { start: start as u32, ..Table::default() };
    let violation = |(index, node): (usize, &witness::model::Node)| node.violation.then_some(index as u32);
    table.accepting = automaton.nodes.iter().enumerate().filter_map(violation).collect();
    let mut builder = Builder { places, conditions, entry, checks: HashMap::new() };
    // States between a call and the first operation of the function, by the state before the call.
    let mut entered: Vec<u32> = Vec::new();
    for edge in &automaton.edges {
        if budget.expired() {
            return Err(TOO_LARGE.into());
        }
        let (Some(from), Some(to)) = (numbers.get(edge.source.as_str()), numbers.get(edge.target.as_str())) else {
            return Err(format!("an edge between `{}` and `{}`, which are no nodes", edge.source, edge.target));
        };
        let target = &automaton.nodes[*to as usize];
        let rule_to = (!target.sink).then_some(*to);
        let moments = builder.moments(edge);
        let text: Arc<str> = edge.assumption.as_deref().unwrap_or_default().into();
        let line = edge.guard.start_line.unwrap_or(0);
        let rule = |check: Check| Rule { to: rule_to, check, text: text.clone(), line };
        if moments.is_empty() {
            if builder.is_declaration(edge) {
                let check = builder.global_check(edge);
                table.silent_rule(entry, *from, rule(check));
            } else if !target.sink {
                table.missing.push(format!("{} of the edge from {} to {}", place(edge), edge.source, edge.target));
            }
        }
        let nothing_returns = builder.nothing_returns(edge, &moments);
        for (moment, stays) in moments {
            match builder.in_callee(edge, moment).filter(|_| !target.sink) {
                // The parameters have their values when the function begins: that is one step more.
                Some((begins, check)) => {
                    let inside = (automaton.nodes.len() + entered.len()) as u32;
                    entered.push(*from);
                    let enters = Rule { to: Some(inside), check: Check::Always, text: "".into(), line };
                    table.rule(moment, *from, stays, enters);
                    table.rule(begins, inside, Stays::Never, rule(check));
                }
                None if nothing_returns => {
                    let why = format!("`{text}` in line {line}, where nothing is returned");
                    table.rule(moment, *from, stays, rule(Check::Unknown(why)));
                }
                None => {
                    let check = builder.check(edge, moment);
                    table.rule(moment, *from, stays, rule(check));
                }
            }
        }
    }
    table.missing.extend(builder.one_operation_twice(automaton));
    distances(automaton, &numbers, &mut table);
    for from in entered {
        table.depth.push(table.depth[from as usize]);
        table.waits_for.push(table.waits_for[from as usize].clone());
    }
    Ok(table)
}

fn place(edge: &Edge) -> String {
    let guard = &edge.guard;
    match (guard.start_line, &guard.enter_function) {
        (Some(line), _) => format!("line {line}"),
        (None, Some(function)) => format!("the call of {function}"),
        (None, None) => "the guard".into(),
    }
}

/// How far along the nodes are on the way to the violation, and what they wait for.
fn distances(automaton: &Automaton, numbers: &HashMap<&str, u32>, table: &mut Table) {
    let count = automaton.nodes.len();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); count];
    let mut waits = vec![Vec::new(); count];
    for edge in &automaton.edges {
        let (from, to) = (numbers[edge.source.as_str()], numbers[edge.target.as_str()]);
        before[to as usize].push(from);
        if !automaton.nodes[to as usize].sink {
            waits[from as usize].push(place(edge));
        }
    }
    let mut left = vec![usize::MAX; count];
    let mut open: VecDeque<u32> = table.accepting.iter().copied().collect();
    open.iter().for_each(|node| left[*node as usize] = 0);
    while let Some(node) = open.pop_front() {
        for from in &before[node as usize] {
            if left[*from as usize] == usize::MAX {
                left[*from as usize] = left[node as usize] + 1;
                open.push_back(*from);
            }
        }
    }
    table.total = Some(left[table.start as usize]).filter(|left| *left != usize::MAX).unwrap_or(0);
    table.depth = left.into_iter().map(|left| table.total.saturating_sub(left)).collect();
    table.waits_for = waits
        .into_iter()
        .zip(&automaton.nodes)
        .map(|(mut places, node)| {
            places.dedup();
            places.truncate(3);
            if places.is_empty() {
                return String::new();
            }
            format!("{} after node {}", places.join(" or "), node.id)
        })
        .collect();
}

/// The condition that the assumption of an edge is at a moment.
pub fn condition(
    edge: &Edge,
    moment: Moment,
    places: &Places<'_>,
    conditions: &mut Conditions,
    entry: FuncId,
) -> Check {
    Builder { places, conditions, entry, checks: HashMap::new() }.check(edge, moment)
}

struct Builder<'b, 'a> {
    places: &'b Places<'a>,
    conditions: &'b mut Conditions,
    entry: FuncId,
    checks: HashMap<(String, Option<EdgeId>, LocId), Check>,
}

impl Builder<'_, '_> {
    /// When an edge may be taken, and whether its source may wait all the same.
    fn moments(&self, edge: &Edge) -> Vec<(Moment, Stays)> {
        let guard = &edge.guard;
        let program = self.places.program;
        if let Some(name) = &guard.return_from {
            return self.returns(guard, name);
        }
        let mut matched = self.matched(guard);
        if matched.is_empty() && guard.enter_loop_head {
            // Tools disagree on the head of a loop made of jumps.
            matched = self.matched(&Guard { enter_loop_head: false, ..guard.clone() });
        }
        let entered = guard.enter_function.as_deref().and_then(|name| program.function_named(name));
        if entered.is_some() {
            let any = self.matched(&Guard { enter_function: None, ..guard.clone() });
            let by_pointer =
                |edge: &EdgeId| matches!(program.edges[*edge].op, Op::Call { callee: Callee::Indirect(_), .. });
            matched.extend(any.into_iter().filter(by_pointer));
        }
        let set: HashSet<EdgeId> = matched.iter().copied().collect();
        let assumes = edge.assumption.as_deref().is_some_and(|text| !text.contains("\\result"));
        let mut found = Vec::new();
        for edge in matched {
            let ambiguous = self.places.successors(edge).iter().any(|next| set.contains(next));
            // Variables have their old values until the statement has written them.
            if assumes && self.writes_later(edge, &set) {
                continue;
            }
            let stays = if ambiguous { Stays::Always } else { Stays::Never };
            let functions = self.places.entered(edge);
            for function in &functions {
                // The way into the function and the way back are one edge here, and the witness may describe either.
                match guard.enter_function {
                    Some(_) if entered == Some(*function) => found.push((Moment::Enter(edge, *function), stays)),
                    Some(_) => {}
                    None => found.push((Moment::Enter(edge, *function), Stays::Always)),
                }
            }
            if functions.is_empty() || guard.enter_function.is_none() {
                found.push((Moment::After(edge), stays));
            }
        }
        if guard.enter_function.as_deref() == Some(program.function_name(self.entry)) {
            found.push((Moment::Start(self.entry), Stays::Never));
        }
        found
    }

    /// Whether an edge uses `\result` though none of the operations that it is about returns anything.
    fn nothing_returns(&mut self, edge: &Edge, moments: &[(Moment, Stays)]) -> bool {
        let mentioned = edge.assumption.as_deref().is_some_and(|text| text.contains("\\result"));
        mentioned && moments.iter().all(|(moment, _)| self.check(edge, *moment) == Check::never())
    }

    /// Two edges in a row of which the first names no more than the line of the second: for some producers they are one operation.
    fn one_operation_twice(&self, automaton: &Automaton) -> Option<String> {
        let leaving = automaton.leaving();
        let ends = automaton.nodes.iter().filter(|node| node.sink || node.violation).map(|node| node.id.as_str());
        let ends: HashSet<&str> = ends.collect();
        let coarse = |guard: &Guard| *guard == Guard { start_line: guard.start_line, ..Guard::default() };
        automaton.edges.iter().find_map(|first| {
            let guard = Guard { origin_file: None, end_line: None, ..first.guard.clone() };
            let next =
                leaving.get(first.target.as_str()).into_iter().flatten().filter(|_| !ends.contains(&*first.target));
            let mut same =
                next.filter(|next| next.guard.start_line == guard.start_line && first.source != first.target);
            let same = same.next().filter(|_| guard.start_line.is_some() && coarse(&guard))?;
            let (matched, again) = (self.matched(&guard), self.matched(&same.guard));
            let several = matched.iter().any(|edge| self.places.leads_to(*edge, &again));
            (!several).then(|| format!("second operation of {} after node {}", place(same), first.target))
        })
    }

    /// Whether all ways on from an edge come to a write of the same statement that the program's variables notice.
    fn writes_later(&self, edge: EdgeId, set: &HashSet<EdgeId>) -> bool {
        let program = self.places.program;
        let anchor = program.edges[edge].anchor;
        let writes = |edge: EdgeId| {
            let place = match program.edges[edge].op {
                Op::Assign(place, _) | Op::Havoc(place, _) => Some(place),
                Op::Call { dest, .. } => dest,
                _ => None,
            };
            place.is_some_and(|place| match program.places[place].kind {
                PlaceKind::Var(var) => !matches!(program.vars[var].kind, VarKind::Temp(_)),
                _ => true,
            })
        };
        let (mut open, mut seen) = (vec![edge], HashSet::from([edge]));
        let mut found = false;
        while let Some(at) = open.pop() {
            for next in self.places.successors(at) {
                if !set.contains(&next) || program.edges[next].anchor != anchor {
                    return false;
                }
                if writes(next) {
                    found = true;
                } else if seen.insert(next) {
                    open.push(next);
                }
            }
        }
        found
    }

    /// When a function is returned from. Leaving it and coming back are two operations here, and the witness may describe either.
    fn returns(&self, guard: &Guard, name: &str) -> Vec<(Moment, Stays)> {
        let program = self.places.program;
        let function = program.function_named(name);
        let leaves = |edge: &EdgeId| {
            let data = &program.edges[*edge];
            matches!(data.op, Op::Return(_)) && Some(program.locations[data.from].function) == function
        };
        let comes_back = |edge: &EdgeId| self.places.source.called(*edge) == Some(name);
        let is_return = |edge: &EdgeId| leaves(edge) || comes_back(edge);
        let there = self.matched(&Guard { return_from: None, ..guard.clone() });
        let there: HashSet<EdgeId> = there.into_iter().filter(is_return).collect();
        if there.is_empty() {
            // Producers put it in lines of their own: which return they describe is unknown.
            let all = program.edges.iter().map(|(edge, _)| edge).filter(is_return);
            return all.map(|edge| (Moment::After(edge), Stays::Always)).collect();
        }
        let both = there.iter().any(comes_back);
        let again = |edge: EdgeId| self.places.successors(edge).iter().any(|next| there.contains(next));
        let moment = |edge: &EdgeId| {
            let stays = if leaves(edge) && both || again(*edge) { Stays::Always } else { Stays::Never };
            (Moment::After(*edge), stays)
        };
        let mut found: Vec<EdgeId> = there.iter().copied().collect();
        found.sort();
        found.iter().map(moment).collect()
    }

    fn matched(&self, guard: &Guard) -> Vec<EdgeId> {
        let steps = self.places.source.matching(guard).into_iter().map(|step| step.edge);
        steps.filter(|edge| !self.places.is_silent(*edge)).collect()
    }

    /// Whether the guard is about a declaration outside of functions: the values are there before our runs begin.
    fn is_declaration(&self, edge: &Edge) -> bool {
        let guard = &edge.guard;
        let plain = guard.control.is_none() && guard.enter_function.is_none() && !guard.enter_loop_head;
        let text = guard.start_line.and_then(|line| self.places.source.line(line));
        plain
            && guard.start_line.is_some_and(|line| self.places.source.function_at(line).is_none())
            && text.is_some_and(|text| !text.trim().is_empty())
    }

    fn global_check(&mut self, edge: &Edge) -> Check {
        let Some(text) = &edge.assumption else { return Check::Always };
        match self.places.program.automaton(self.entry) {
            Some(automaton) => self.conditions.check(text, automaton.entry, None, Point::At(automaton.entry)),
            None => Check::Always,
        }
    }

    /// When a function that a call enters begins, and what the assumption of the edge says about its parameters then; `None` where it is
    /// about variables of the caller or of the file. Some producers give the caller as the scope of a parameter.
    fn in_callee(&mut self, edge: &Edge, moment: Moment) -> Option<(Moment, Check)> {
        let Moment::Enter(call, callee) = moment else { return None };
        let text = edge.assumption.as_deref().filter(|text| !text.contains("\\result"))?;
        let program = self.places.program;
        let at = program.automaton(callee)?.entry;
        let begins = Moment::Before(program.locations[at].out[0]?);
        let check = self.conditions.check(text, at, None, Point::At(at));
        let scope = edge.assumption_scope.as_deref().and_then(|name| program.function_named(name));
        let from = program.edges[call].from;
        if scope == Some(callee) && callee != program.locations[from].function {
            return Some((begins, check));
        }
        if !matches!(check, Check::When(_, Some(_))) {
            return None;
        }
        match self.conditions.check(text, from, None, Point::At(from)) {
            Check::Unknown(_) => Some((begins, check)),
            // The variables of the caller, or parameters of the same name.
            Check::When(_, Some(_)) if scope.is_none() || scope == Some(callee) => {
                Some((begins, Check::Unknown(format!("`{text}`: of the caller, or of the function that it calls"))))
            }
            _ => None,
        }
    }

    /// Whether an assumption can only be about the parameters of the function that an edge calls: after the call it says nothing.
    fn is_only_about_callee(&mut self, edge: &Edge, taken: EdgeId) -> bool {
        let functions = self.places.entered(taken);
        functions.into_iter().any(|function| {
            let found = self.in_callee(edge, Moment::Enter(taken, function));
            found.is_some_and(|(_, check)| !matches!(check, Check::Unknown(_)))
        })
    }

    /// Whether a text has a meaning somewhere in a function.
    fn is_known_in(&mut self, text: &str, function: FuncId) -> bool {
        let name = self.places.program.function_name(function);
        let sites = self.places.source.sites(None, None, Some(name));
        let mut inside = sites.into_iter().filter(|site| self.places.program.locations[*site].function == function);
        inside.any(|site| self.conditions.is_known(text, site))
    }

    fn check(&mut self, edge: &Edge, moment: Moment) -> Check {
        let Some(text) = &edge.assumption else { return Check::Always };
        let program = self.places.program;
        let (taken, at) = match moment {
            Moment::After(taken) if !matches!(program.edges[taken].op, Op::Return(_)) => {
                (Some(taken), program.edges[taken].to)
            }
            Moment::After(taken) | Moment::Before(taken) | Moment::Enter(taken, _) => {
                (Some(taken), program.edges[taken].from)
            }
            Moment::Start(function) => match program.automaton(function) {
                Some(automaton) => (None, automaton.entry),
                None => return Check::Unknown("an assumption before the start".into()),
            },
        };
        let function = program.locations[at].function;
        let scope = edge.assumption_scope.as_deref().and_then(|name| program.function_named(name));
        let mentions_result = text.contains("\\result");
        let after = taken.filter(|_| mentions_result || matches!(moment, Moment::After(_)));
        let key = (text.clone(), after, at);
        if let Some(known) = self.checks.get(&key) {
            return known.clone();
        }
        let result = match taken.filter(|_| mentions_result) {
            Some(taken) => {
                let of = edge.result_function.as_deref();
                // What is called has not returned yet.
                if matches!(moment, Moment::Enter(..)) {
                    return Check::never();
                }
                let another = of.is_some() && self.places.source.called(taken) != of;
                match self.conditions.result_of(taken) {
                    // Another edge of the line, on which nothing returns.
                    _ if another => return Check::never(),
                    Returned::Nothing => return Check::never(),
                    Returned::Any => return Check::Always,
                    Returned::Unknown => return Check::Unknown(NOT_KEPT.into()),
                    Returned::Value(result) => Some(result),
                }
            }
            None => None,
        };
        let point = match moment {
            Moment::After(taken) => Point::After(taken),
            _ => Point::At(at),
        };
        let mut check = self.conditions.check(text, at, result, point);
        // Where a function begins, none of its variables has a value yet.
        let begins = program.automaton(function).is_some_and(|automaton| automaton.entry == at);
        if matches!(check, Check::Unknown(_)) {
            // Names of the function that are not visible here: a variable of an inner block.
            let sites = self.places.source.sites(edge.guard.start_line, None, Some(program.function_name(function)));
            let mut others = sites.into_iter().filter(|site| program.locations[*site].function == function).take(10);
            let found = others.find_map(|site| match self.conditions.check(text, site, result, point) {
                Check::Unknown(_) => None,
                found => Some(found),
            });
            check = found.filter(|_| !begins).unwrap_or(check);
        }
        // The scope is that of the variables that are named, and `\result` is none. Some producers name the caller for parameters.
        if let Check::When(condition, _) = &check
            && let Some(scope) = scope.filter(|scope| *scope != function)
            && self.conditions.function_of(condition, result).is_some()
            && self.is_known_in(text, scope)
        {
            check = Check::Unknown(OTHER_FUNCTION.into());
        }
        if let (Check::Unknown(_), Moment::After(taken), None) = (&check, moment, result)
            && self.is_only_about_callee(edge, taken)
        {
            check = Check::never();
        }
        self.checks.insert(key, check.clone());
        check
    }
}
