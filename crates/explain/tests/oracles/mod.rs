//! The worked examples of Dobos-Kovács 2021 and Christ et al. 2013, each with inputs on which it fails.

use base::{Budget, SourceMap};
use cfa::interp::{ListInputs, ProgramArgs};
use cfa::{Bits, DataModel, Property, PropertySet, Task};
use explain::localize::spectrum::Spectrum;
use explain::localize::{Decay, Finding, LOCALIZERS, LocalizeOptions};
use explain::{Failure, replay};
use frontend::Compiled;

pub struct Oracle {
    pub text: &'static str,
    pub entry: &'static str,
    pub inputs: &'static [i64],
}

pub const X_ZERO: Oracle = Oracle {
    text: "void xZero(int input) {
  int x = 1;
  int y = input - 42;
  if (y < 0)
    x = 0;

  //@ assert x != 0;
}
",
    entry: "xZero",
    inputs: &[41],
};

pub const Y_ZERO: Oracle = Oracle {
    text: "void yZero(int input) {
  int x = 0;
  int y = input - 42;
  if (y < 0)
    y = 0;

  //@ assert x != 0;
}
",
    entry: "yZero",
    inputs: &[50],
};

pub const LOCKING: Oracle = Oracle {
    text: "int lock;
void process(int x, int y) { int z;
  z = 0;
  lock = 1;
  if (x == 0) {
    if (y == 0)
      z = 1;
  }
  if (y != 0) {
    z = y;
  }
  if (x != 0) {
    z = 2;
    lock = 0;
  } else if (z > 0) {
    z = 3;
    lock = 0;
  }
  //@ assert lock == 0;
}
",
    entry: "process",
    inputs: &[0, -1],
};

pub const ABSOLUTE: Oracle = Oracle {
    text: "int absValue(int input) {
  int sign, abs;
  abs = input;
  if (input == 0)
    return 0;
  if (input < 0) {
    sign = -1;

  } else {
    sign = 1;

  }
  if (sign == -1) {
    sign = input * -1;
  } else {
    abs = input;
  }
  //@ assert abs >= 0;
  return abs;
}
",
    entry: "absValue",
    inputs: &[-1],
};

pub const COMPUTE_DIFF: Oracle = Oracle {
    text: "int compute_diff(int x1, int x2) {
  int diff;
  if (x1 != x2) {
    if (x1 < x2) {
      diff = x1 - x2;
    }
    else {
      diff = x2 - x1;
    }
  }
  else {
    diff = 0;
  }
  //@ assert diff >= 0;
}
",
    entry: "compute_diff",
    inputs: &[3, 4],
};

pub const MISSING_CHECK: Oracle = Oracle {
    text: "extern int input(void);
void main() {
  int a;
  int b = 2;
  while (1) { a = input();
    if (a) {
      b = b * b;
      //@ assert !a && b;
    }
  }
}
",
    entry: "main",
    inputs: &[1],
};

pub const ASSERTION_FLAG: Oracle = Oracle {
    text: "extern int input(void);
void main() { int n;
  int s = 1;
  int __assertion_failure = 0;

  n = input();

  for (int i = 0; i < n; i += 2) {
    s += 2;
  }

  if (s % 2 != 0) {
    __assertion_failure = 1;
  }

  //@ assert __assertion_failure == 0;
}
",
    entry: "main",
    inputs: &[0],
};

/// A program that fails on some inputs.
pub struct Example {
    pub name: String,
    pub sources: SourceMap,
    pub spectrum: Spectrum,
    pub compiled: Compiled,
    pub entry: String,
    pub inputs: Vec<Bits>,
}

impl Example {
    pub fn new(oracle: &Oracle) -> Self {
        let (sources, compiled) = testkit::compile(oracle.text.as_bytes(), DataModel::Lp64);
        assert!(!compiled.has_errors(), "{:?}", compiled.diagnostics);
        let inputs = oracle.inputs.iter().map(|value| Bits::new(*value as u64 as u128)).collect();
        Example {
            name: oracle.text.into(),
            sources,
            spectrum: Spectrum::default(),
            compiled,
            entry: oracle.entry.into(),
            inputs,
        }
    }

    pub fn failure(&self) -> Failure<'_> {
        let program = &self.compiled.program;
        let entry = program.function_named(&self.entry).expect("the entry function");
        let properties = PropertySet::of(&[Property::Assertion, Property::UnreachCall]);
        let mut inputs = ListInputs::new(self.inputs.clone());
        let failure = replay::failure(Task { program, entry, properties }, ProgramArgs::default(), &mut inputs);
        failure.unwrap_or_else(|outcome| panic!("{outcome:?}\n{}", self.name))
    }

    pub fn options(&self) -> LocalizeOptions<'_> {
        let (sources, decay) = (&self.sources, Decay::Harmonic);
        LocalizeOptions {
            sources,
            trusted: &[],
            rounds: 100,
            minimal: true,
            decay,
            passing: &[],
            spectrum: &self.spectrum,
            tested: None,
            replaced: Default::default(),
            most_edits: usize::MAX,
        }
    }

    pub fn find(&self, method: &str) -> Finding {
        let localizer = LOCALIZERS.iter().find(|localizer| localizer.name == method).expect("in the table");
        (localizer.run)(&[self.failure()], &self.options(), &Budget::unlimited()).expect("a finding")
    }
}
