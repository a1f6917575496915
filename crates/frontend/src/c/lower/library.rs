//! What library functions written in C (see [`prelude`](crate::c::prelude)) need of the program around them: functions registered for exit are called
//! before it ends, and what they do not say is not proved.

use super::Lower;
use super::scope::Name;
use base::Span;
use cfa::library::{Approximate, LibFn, Math};
use cfa::{Body, Callee, EdgeId, ExprId, FuncId, Op};

const RUN_EXIT_FUNCTIONS: &str = "__library_run_exit_functions";

impl Lower<'_> {
    /// Whether some unit defines a function.
    fn is_defined_somewhere(&self, name: &str) -> bool {
        self.program.names.lookup(name).is_some_and(|name| self.defined.contains(&name))
    }

    /// Whether a defined function is one of the library: their edges come last.
    fn is_of_library(&self, function: FuncId) -> bool {
        self.program.automaton(function).is_some_and(|automaton| automaton.edges.start >= self.own_edges)
    }

    /// Before a normal end of the program: calls what `atexit` was given. The code of the end is computed before.
    pub(super) fn before_exit(&mut self, code: ExprId, span: Span) -> ExprId {
        if !self.is_defined_somewhere(RUN_EXIT_FUNCTIONS) || !self.reachable() {
            return code;
        }
        let code = self.fixed(code, span);
        self.run_exit_functions(span);
        code
    }

    fn run_exit_functions(&mut self, span: Span) {
        let name = self.program.names.intern(RUN_EXIT_FUNCTIONS);
        let ty = self.signature_type("v()");
        let function = self.function_with_linkage(name, ty, Span::NONE);
        self.emit(Op::Call { dest: None, callee: Callee::Direct(function), args: (0, 0) }, span);
    }

    /// The same where `main` returns.
    pub(super) fn return_from_main(&mut self, value: Option<ExprId>, span: Span) -> Option<ExprId> {
        let name = self.state().name;
        if self.text(name) != "main" || !self.is_defined_somewhere(RUN_EXIT_FUNCTIONS) || !self.reachable() {
            return value;
        }
        let value = value.map(|value| self.fixed(value, span));
        self.run_exit_functions(span);
        value
    }

    /// What a call of a function by its name leaves open.
    pub(super) fn check_library_call(&mut self, function: FuncId, args: (u32, u32), span: Span) {
        if self.situation.in_library {
            return;
        }
        match self.program.function_name(function) {
            "signal" if !self.is_defined(function) => {
                let handler = self.program.call_args(args).get(1).copied();
                let constant = handler.and_then(|handler| self.program.constant(handler));
                if constant.is_none_or(|handler| handler.get() > 1) {
                    self.left_open(span, "signals that come from outside");
                }
            }
            "main" if self.is_defined_somewhere(RUN_EXIT_FUNCTIONS) => {
                self.poison(span, "a call of `main` where functions are registered for exit");
            }
            _ => {}
        }
    }

    /// Functions that set `errno` where that is not modelled are poison in a program that looks at it.
    pub(super) fn poison_errno(&mut self) {
        let errno = self.program.names.lookup("__errno_location").and_then(|name| self.linkage.get(&name));
        let Some(Name::Function(errno)) = errno else { return };
        if !self.is_defined(*errno) {
            return;
        }
        // What the functions of the library do with `errno` themselves is in their text.
        for index in (0..self.own_edges).map(EdgeId) {
            let Op::Call { callee: Callee::Direct(function), .. } = self.program.edges[index].op else { continue };
            let sets = match self.program.functions[function].body {
                Body::Library(meaning) => sets_errno(meaning),
                // Their text does not say what they do with it.
                Body::Defined(_) => {
                    let name = self.program.function_name(function);
                    Approximate::NAMES.contains(&name) && self.is_of_library(function)
                }
                Body::Undefined => false,
            };
            if sets {
                let reason = format!("`errno` after `{}`", self.program.function_name(function));
                self.program.edges[index].op = Op::Poison(self.program.names.intern(&reason));
            }
        }
    }
}

fn sets_errno(function: LibFn) -> bool {
    match function {
        LibFn::Strtod(_) => true,
        LibFn::Math(math, _) => !matches!(
            math,
            Math::Fabs
                | Math::Floor
                | Math::Ceil
                | Math::Trunc
                | Math::Round
                | Math::Roundeven
                | Math::Rint
                | Math::Copysign
                | Math::Fmin
                | Math::Fmax
                | Math::Modf
                | Math::Frexp
                | Math::Infinity
                | Math::Nan
        ),
        _ => false,
    }
}
