//! A tape holds everything that a run was given.

use crate::{compile, essence, recorded, traced};
use cfa::interp::{FillRequest, InputRequest, InputSource, Inputs, Limit, Outcome};
use cfa::{Bits, EdgeId, FuncId, InputKind, TypeId, VarId};
use evidence::tape::remembered;
use evidence::{Tape, TapeRecorder};
use testkit::programs;

#[test]
fn a_tape_leads_to_the_same_run() {
    let mut violated = 0;
    for seed in 0..60 {
        let text = programs::random(seed);
        let (program, entry) = compile(&text);
        let (first, tape) = recorded(&program, entry, seed, 100);
        let again = traced(&program, entry, &mut tape.play(), usize::MAX);
        assert_eq!(essence(&first.run), essence(&again.run), "seed {seed}\n{text}");
        assert_eq!(first.steps, again.steps, "seed {seed}\n{text}");
        assert_eq!(first.measure, again.measure, "seed {seed}\n{text}");
        violated += matches!(first.run.outcome, Outcome::Violation { .. }) as u32;
    }
    assert!((5..55).contains(&violated), "{violated} of 60 violated");
}

/// The values of uninitialized memory are on the tape too.
#[test]
fn uninitialized_memory_is_on_the_tape() {
    let text = "void *malloc(unsigned long);
extern int elsewhere[2];
int main(void) {
  int local[3], *heap = malloc(2 * sizeof *heap);
  return local[0] + 3 * local[2] + 5 * heap[1] + 7 * elsewhere[1];
}
";
    let (program, entry) = compile(text);
    let (first, tape) = recorded(&program, entry, 11, 0);
    assert!(matches!(first.run.outcome, Outcome::Finished(code) if code != 0), "{:?}", first.run.outcome);
    let again = traced(&program, entry, &mut tape.play(), usize::MAX);
    assert_eq!(first.run.outcome, again.run.outcome);
    let zeros = traced(&program, entry, &mut Tape::default().play(), usize::MAX);
    assert_eq!(zeros.run.outcome, Outcome::Finished(0), "an empty tape gives zeros");
    assert_eq!(tape.locals().map(|(_, fills)| fills.len()).sum::<usize>(), 2, "the array and the pointer");
}

const ENDLESS: &str = "extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned rounds = 0;
  while (rounds < 8) { if (__VERIFIER_nondet_uint() == 100) return 1; rounds++; }
  return 0;
}
";

/// The beginning of a run ends where the tape does; a whole run goes on with zeros.
#[test]
fn a_prefix_ends_with_its_tape() {
    let (program, entry) = compile(ENDLESS);
    let (first, mut tape) = recorded(&program, entry, 3, 5);
    assert_eq!((first.run.outcome, first.run.inputs.len()), (Outcome::Limit(Limit::Inputs), 5));
    assert!(!tape.is_prefix, "a tape is a whole run unless it is marked");
    let whole = traced(&program, entry, &mut tape.play(), usize::MAX);
    assert_eq!((whole.run.outcome, whole.run.inputs.len()), (Outcome::Finished(0), 8));
    assert!(whole.run.inputs[5..].iter().all(|input| input.bits == Bits::ZERO));
    tape.is_prefix = true;
    let prefix = traced(&program, entry, &mut tape.play(), usize::MAX);
    assert_eq!(essence(&first.run), essence(&prefix.run));
    assert_eq!(first.steps, prefix.steps);
}

struct Numbers(u64);

impl Inputs for Numbers {
    fn next(&mut self, _: &InputRequest) -> Option<Bits> {
        self.0 += 1;
        Some(Bits::new(self.0 as u128))
    }

    fn fill(&mut self, _: &FillRequest, bytes: &mut [u8]) {
        self.0 += 1;
        bytes.fill(self.0 as u8);
    }
}

/// The values of one source are in order, whatever was asked of others in between.
#[test]
fn sources_do_not_disturb_each_other() {
    let edge = |number: u32| InputRequest {
        source: InputSource::Edge { edge: EdgeId(number), kind: InputKind::Nondet(FuncId(0)) },
        ty: TypeId::INT,
    };
    let param = InputRequest { source: InputSource::Param { var: VarId(1), leaf: 2 }, ty: TypeId::INT };
    let mut numbers = Numbers(0);
    let mut recorder = TapeRecorder::new(Default::default(), &mut numbers);
    for request in [edge(7), edge(8), param, edge(7), edge(8)] {
        recorder.next(&request);
    }
    let tape = recorder.tape;
    let mut player = tape.play();
    let mut play = |request: InputRequest| player.next(&request).map(|bits| bits.lo);
    assert_eq!([play(edge(8)), play(edge(8)), play(edge(8))], [Some(2), Some(5), Some(0)]);
    assert_eq!([play(edge(7)), play(param), play(edge(7))], [Some(1), Some(3), Some(4)]);
    let mut prefix = tape.clone();
    prefix.is_prefix = true;
    let mut player = prefix.play();
    assert_eq!((player.next(&param).map(|bits| bits.lo), player.next(&param)), (Some(3), None));
    assert_eq!(player.next(&edge(7)).map(|bits| bits.lo), Some(1), "another source has more");
}

#[test]
fn fills_of_another_size_are_cut() {
    let request = FillRequest::Allocation { edge: EdgeId(3) };
    let mut numbers = Numbers(4);
    let mut recorder = TapeRecorder::new(Default::default(), &mut numbers);
    recorder.fill(&request, &mut [0; 4]);
    let tape = recorder.tape;
    let (mut short, mut long) = ([0; 2], [9; 6]);
    tape.play().fill(&request, &mut short);
    tape.play().fill(&request, &mut long);
    assert_eq!((short, long), ([5, 5], [5, 5, 5, 5, 9, 9]));
}

#[test]
fn zeros_at_the_end_of_huge_fills_are_not_kept() {
    let small = vec![0; 1000];
    assert_eq!(remembered(&small), small);
    let mut huge = vec![0; (1 << 20) + 1];
    assert!(remembered(&huge).is_empty());
    huge[70] = 1;
    assert_eq!(remembered(&huge), huge[..71]);
}
