#[path = "../../testkit/src/random.rs"] mod random;
#[path = "../../testkit/src/lists.rs"] mod lists;
use base::*; use cfa::*; use cfa::interp::*;
struct In { random: random::Random, left: u32 }
impl Inputs for In {
    fn next(&mut self, _: &InputRequest) -> Option<Bits> {
        if self.left == 0 { return Some(Bits::ZERO) }
        self.left -= 1;
        Some(Bits::new(match self.random.below(6) { 0 => 0, 1 => 2, 2 => 3, _ => 1 }))
    }
    fn fill(&mut self, _: &FillRequest, bytes: &mut [u8]) { bytes.iter_mut().for_each(|b| *b = self.random.word() as u8 & 0x7f); }
}
struct Watch<'s> { shapes: &'s shapes::Shapes, bad: Option<LocId>, seen: u64 }
impl Observer for Watch<'_> {
    fn step(&mut self, view: &View<'_, '_>, event: Event<'_>) {
        let program = view.program();
        let at = match event { Event::Edge { edge, .. } => program.edges[edge].to, Event::Enter { function, .. } => program.automaton(function).unwrap().entry, _ => return };
        if program.locations[at].loop_head.is_some() && view.function() == Some(program.locations[at].function) && self.bad.is_none() {
            self.seen += 1;
            if !self.shapes.describe(at, view) { self.bad = Some(at); }
        }
    }
}
fn main() {
    let args: Vec<u64> = std::env::args().skip(1).map(|a| a.parse().unwrap()).collect();
    let show = args.len() > 2;
    let (mut proved, mut all, mut seen, mut wrong) = (0, 0, 0, 0);
    let mut slow = (0, 0);
    for seed in args[0]..args[1] {
        let text = lists::random(seed);
        if show { println!("{text}"); }
        let language = frontend::for_extension("c").unwrap();
        let mut sources = SourceMap::new();
        let file = sources.add("t.c", text.clone().into_bytes()).unwrap();
        let model = if seed % 2 == 0 { DataModel::Ilp32 } else { DataModel::Lp64 };
        let compiled = (language.compile)(&mut sources, &[file], model);
        assert!(!compiled.has_errors(), "{text} {:?}", compiled.diagnostics);
        let program = &compiled.program;
        let entry = program.function_named("main").unwrap();
        for properties in [PropertySet::of(&[Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack]), PropertySet::of(&[Property::UnreachCall])] {
            let task = Task { program, entry, properties };
            all += 1;
            let began = std::time::Instant::now();
            let found = shapes::analyze(task, &Budget::for_duration(std::time::Duration::from_secs(10)));
            let time = began.elapsed().as_millis(); if time > slow.0 { slow = (time, seed); }
            let mut fails = None;
            for run in 0..30 {
                let mut inputs = In { random: random::Random::new(seed * 1000 + run), left: 3 + run as u32 };
                let config = Config { properties, max_steps: 20000, ..Config::default() };
                let empty = shapes::Shapes::default();
                let mut watch = Watch { shapes: found.as_ref().unwrap_or(&empty), bad: found.is_err().then_some(LocId(0)), seen: 0 };
                let run = run_observed(program, entry, &ProgramArgs::default(), &mut inputs, &config, &mut watch);
                seen += watch.seen;
                if matches!(run.outcome, Outcome::Violation { .. } | Outcome::Undefined(_) | Outcome::Poison(_)) { fails = Some(run.outcome); }
                if found.is_ok() && watch.bad.is_some() { println!("seed {seed} {properties:?}: NOT DESCRIBED at {:?}\n{text}", watch.bad.map(|l| program.locations[l].out[0].map(|e| sources.snippet(program.edges[e].span).into_owned()))); wrong += 1; break; }
            }
            match (&found, fails) {
                (Ok(shapes), fails) => { proved += 1; if let Some(fails) = fails { println!("seed {seed}: WRONG {fails:?}\n{text}"); wrong += 1; }
                    let check = shapes::check(shapes, task, &Budget::unlimited()); if check.is_err() { println!("seed {seed}: check {check:?}"); } }
                (Err(trouble), None) => { if show || time > 3000 { println!("seed {seed} {properties:?} not proved: {trouble:?} {time}"); } else { println!("  seed {seed} unproved {:?}", trouble); } }
                (Err(_), Some(_)) => {}
            }
        }
    }
    println!("{proved} of {all} proved, {seen} states described, {wrong} wrong, slowest {slow:?}");
}
