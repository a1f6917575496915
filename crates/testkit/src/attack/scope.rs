//! What a generated program can name at a place: scalars, arrays, pointers and the lifetimes of what these point to.

use crate::random::Random;

pub struct ScalarType {
    pub name: &'static str,
    /// The function that returns an input of the type, if there is one.
    pub input: Option<&'static str>,
}

pub const TYPES: &[ScalarType] = &[
    ScalarType { name: "int", input: Some("__VERIFIER_nondet_int() & 3") },
    ScalarType { name: "unsigned", input: Some("__VERIFIER_nondet_uint() & 3") },
    ScalarType { name: "unsigned char", input: Some("__VERIFIER_nondet_uchar() & 3") },
    ScalarType { name: "short", input: Some("__VERIFIER_nondet_short() & 3") },
    ScalarType { name: "long", input: Some("__VERIFIER_nondet_long() & 3") },
    ScalarType { name: "signed char", input: None },
    ScalarType { name: "unsigned short", input: None },
    ScalarType { name: "unsigned long", input: None },
    ScalarType { name: "_Bool", input: Some("__VERIFIER_nondet_bool()") },
    ScalarType { name: "char", input: None },
];
pub const INT: usize = 0;
pub const BYTE: usize = 2;
pub const BOOL: usize = 8;
/// The types that pointers point to.
pub const POINTEES: &[usize] = &[0, 2, 3, 4];

#[derive(Clone)]
pub struct Scalar {
    pub text: String,
    pub ty: usize,
    pub depth: usize,
    /// Not a bit-field.
    pub addressable: bool,
    /// Not a counter that a loop's end depends on.
    pub assignable: bool,
}

#[derive(Clone)]
pub struct Array {
    pub name: String,
    pub ty: usize,
    /// A power of two, so that any number can be made an index by a mask.
    pub length: usize,
    pub depth: usize,
}

#[derive(Clone)]
pub struct Pointer {
    pub name: String,
    pub pointee: usize,
    pub depth: usize,
    /// The depth of the block that its target lives in; `None` if the target may be dead.
    pub target: Option<usize>,
    /// Inside a loop: it may only point to what lives this long, because it is used before it is assigned in the next round.
    pub longest: Option<usize>,
}

#[derive(Clone)]
pub struct Record {
    pub name: String,
    pub tag: &'static str,
    pub depth: usize,
}

#[derive(Clone, Default)]
pub struct Scope {
    pub depth: usize,
    pub scalars: Vec<Scalar>,
    pub arrays: Vec<Array>,
    pub pointers: Vec<Pointer>,
    pub records: Vec<Record>,
}

/// Where a loop starts: what its pointers must be at each round.
pub struct LoopStart(Vec<(Option<usize>, Option<usize>)>);

impl Scope {
    pub fn enter(&mut self) {
        self.depth += 1;
    }

    /// The innermost block ends: its objects are gone, and what points to them dangles.
    pub fn leave(&mut self) {
        let depth = self.depth;
        self.scalars.retain(|scalar| scalar.depth < depth);
        self.arrays.retain(|array| array.depth < depth);
        self.pointers.retain(|pointer| pointer.depth < depth);
        self.records.retain(|record| record.depth < depth);
        for pointer in &mut self.pointers {
            pointer.target = pointer.target.filter(|target| *target < depth);
        }
        self.depth -= 1;
    }

    pub fn scalar(&mut self, text: impl Into<String>, ty: usize, addressable: bool, assignable: bool) {
        self.scalars.push(Scalar { text: text.into(), ty, depth: self.depth, addressable, assignable });
    }

    pub fn array(&mut self, name: impl Into<String>, ty: usize, length: usize) {
        self.arrays.push(Array { name: name.into(), ty, length, depth: self.depth });
    }

    /// Each pointer is either alive in every round, and then stays so, or must be assigned in a round before it is used there.
    pub fn start_loop(&mut self, random: &mut Random) -> LoopStart {
        let before = self.pointers.iter().map(|pointer| (pointer.target, pointer.longest)).collect();
        for pointer in &mut self.pointers {
            match pointer.target {
                Some(target) if pointer.longest.is_some() || random.below(2) == 0 => pointer.longest = Some(target),
                _ => pointer.target = None,
            }
        }
        LoopStart(before)
    }

    pub fn end_loop(&mut self, start: &LoopStart) {
        for (pointer, (_, longest)) in self.pointers.iter_mut().zip(&start.0) {
            pointer.target = pointer.longest;
            pointer.longest = *longest;
        }
    }

    /// A branch was not taken: the pointers are what they are on either way.
    pub fn merge(&mut self, other: &[Option<usize>]) {
        for (pointer, other) in self.pointers.iter_mut().zip(other) {
            pointer.target = pointer.target.zip(*other).map(|(left, right)| left.max(right));
        }
    }

    pub fn targets(&self) -> Vec<Option<usize>> {
        self.pointers.iter().map(|pointer| pointer.target).collect()
    }

    pub fn set_targets(&mut self, targets: &[Option<usize>]) {
        for (pointer, target) in self.pointers.iter_mut().zip(targets) {
            pointer.target = *target;
        }
    }
}
