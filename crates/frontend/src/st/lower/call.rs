//! Calls: the body of what is called is put here. Inputs are assigned before it, outputs after it; a VAR_IN_OUT is another name for the caller's variable.

use super::super::ast::{Arg, Expr, ExprKind as Ast, PouKind, TypeExpr, TypeKind, VarBlock, VarClass, VarDecl};
use super::Lower;
use super::expr::Target;
use super::flow::Cursor;
use super::operator::Val;
use super::types::Ty;
use super::vars::{InstanceId, Slot};
use base::Span;
use cfa::{Branch, Op};
use rustc_hash::FxHashMap;

/// Calls nest at most so deep.
const MAX_NESTING: usize = 100;

impl<'a> Lower<'a> {
    pub fn call_statement(&mut self, callee: &Expr, args: &[Arg], span: Span) {
        match self.callee_block(callee) {
            Some(Target::Block(instance)) => self.call_block(instance, args, span),
            Some(Target::Choice(choices)) => {
                let mut ends = Vec::new();
                for (cond, instance) in choices {
                    let (yes, no) = self.branch(cond, Branch::Conditional, callee.span);
                    self.flow.cursor = yes;
                    self.call_block(instance, args, span);
                    ends.push(self.flow.cursor);
                    self.flow.cursor = no;
                }
                ends.push(self.flow.cursor);
                self.join(&ends, span);
            }
            Some(Target::Unsupported(what)) => {
                args.iter().filter_map(|arg| arg.value.as_ref()).for_each(|value| drop(self.value(value)));
                self.poison(span, what);
            }
            Some(_) => {}
            None => drop(self.call_value(callee, args, span)),
        }
    }

    /// The instance that is called; `None` if a function is.
    fn callee_block(&mut self, callee: &Expr) -> Option<Target> {
        match &callee.kind {
            Ast::Name(name) if self.lookup(name).is_none() => None,
            _ => Some(match self.target(callee) {
                found @ (Target::Block(_) | Target::Choice(_) | Target::Unsupported(_) | Target::Nothing) => found,
                _ => {
                    self.error(callee.span, "this cannot be called");
                    Target::Nothing
                }
            }),
        }
    }

    /// A call that has a value.
    pub fn call_value(&mut self, callee: &Expr, args: &[Arg], span: Span) -> Val {
        let Ast::Name(name) = &callee.kind else {
            self.error(callee.span, "only functions have values");
            return Val::Bad;
        };
        let found = self.pous.get(&super::key(name)).copied();
        match found {
            // The standard lets them have any number of inputs.
            Some(pou)
                if self.unit.pous[pou].is_library
                    && args.len() > 2
                    && matches!(super::key(name).as_str(), "MIN" | "MAX" | "CONCAT")
                    && args.iter().all(|arg| arg.name.is_none()) =>
            {
                let (first, last) = args.split_at(args.len() - 1);
                let kind = Ast::Call(Box::new(callee.clone()), first.to_vec());
                let inner = Arg { value: Some(Expr { kind, span }), ..first[0].clone() };
                self.call_function(pou, &[inner, last[0].clone()], span)
            }
            Some(pou) if self.unit.pous[pou].kind == PouKind::Function => self.call_function(pou, args, span),
            Some(_) => {
                self.error(callee.span, format!("`{name}` is no function: declare an instance of it and call that"));
                Val::Bad
            }
            None => match self.builtin(name, args, span) {
                Some(value) => value,
                None => {
                    self.missing(callee.span, &format!("the function `{name}` is not declared"));
                    args.iter().filter_map(|arg| arg.value.as_ref()).for_each(|value| drop(self.value(value)));
                    self.poison(span, "what is declared elsewhere");
                    Val::Bad
                }
            },
        }
    }

    /// A parameter by its name, or by its number among those that a call without names gives.
    fn parameter(&mut self, pou: usize, arg: &Arg, number: usize) -> Option<(&'a VarBlock, &'a VarDecl)> {
        let unit: &'a super::super::ast::Unit = self.unit;
        let data = &unit.pous[pou];
        let classes = [VarClass::Input, VarClass::InOut, VarClass::Output];
        let mut all = data
            .blocks
            .iter()
            .filter(|block| classes.contains(&block.class))
            .flat_map(|block| block.vars.iter().map(move |decl| (block, decl)));
        let found = match &arg.name {
            Some(name) => all.find(|(_, decl)| decl.name.text.eq_ignore_ascii_case(&name.text)),
            None => all.nth(number),
        };
        if found.is_none() {
            let message = match &arg.name {
                Some(name) => format!("`{}` has no parameter `{}`", data.name.text, name.text),
                None => format!("`{}` has fewer parameters", data.name.text),
            };
            self.error(arg.span, message);
        }
        found
    }

    fn call_block(&mut self, instance: InstanceId, args: &[Arg], span: Span) {
        let Some(pou) = self.instances[instance].pou else {
            return self.error(span, "a data block cannot be called");
        };
        let mut bound = FxHashMap::default();
        let mut outputs = Vec::new();
        let slots = self.instances[instance].slots.clone();
        for (number, arg) in args.iter().enumerate() {
            let Some((block, decl)) = self.parameter(pou, arg, number) else { continue };
            let Some(value) = &arg.value else { continue };
            match block.class {
                VarClass::InOut => self.bind(decl, value, &mut bound),
                VarClass::Output => outputs.push((decl, value, arg)),
                _ => {
                    if let Some(Slot::Place { place, ty, .. }) = slots.get(&decl.name.key()).cloned() {
                        let value = self.value_for(value, &ty);
                        self.assign(place, &ty, value, arg.span);
                    } else {
                        self.poison(arg.span, "parameter of this type");
                    }
                }
            }
        }
        let mut names = slots;
        names.extend(bound);
        self.check_in_outs(pou, &names, span);
        let frame = self.new_frame(Some(pou), names.clone(), self.unit.pous[pou].is_library.then_some(span));
        self.run_body(pou, frame, span);
        for (decl, target, arg) in outputs {
            let slot = names.get(&decl.name.key()).cloned();
            self.take_output(slot, target, arg);
        }
    }

    fn check_in_outs(&mut self, pou: usize, names: &FxHashMap<String, Slot>, span: Span) {
        let unit = self.unit;
        let blocks = unit.pous[pou].blocks.iter().filter(|block| block.class == VarClass::InOut);
        for decl in blocks.flat_map(|block| &block.vars) {
            if !names.contains_key(&decl.name.key()) {
                self.error(span, format!("the parameter `{}` is missing", decl.name.text));
            }
        }
    }

    /// Another name for a variable of the caller.
    fn bind(&mut self, decl: &VarDecl, value: &Expr, bound: &mut FxHashMap<String, Slot>) {
        let freeze = std::mem::replace(&mut self.freeze, true);
        let target = self.target(value);
        self.freeze = freeze;
        let slot = match target {
            Target::Place(place, ty, writable) => Slot::Place { place, ty, writable },
            Target::Block(instance) => Slot::Block(instance),
            Target::Blocks(blocks) => Slot::Blocks(blocks),
            Target::Unsupported(what) => Slot::Unsupported(what),
            Target::Nothing => return,
            Target::Choice(_) => Slot::Unsupported("instance that an index chooses as parameter"),
            Target::Const(..) => return self.error(value.span, "VAR_IN_OUT needs a variable"),
        };
        bound.insert(decl.name.key(), slot);
    }

    fn take_output(&mut self, slot: Option<Slot>, target: &Expr, arg: &Arg) {
        let Some(Slot::Place { place, ty, .. }) = slot else { return };
        let value = match ty.is_scalar() {
            true => Val::Expr(self.read(place, arg.span), ty),
            false => Val::Whole(place, ty),
        };
        let value = if arg.negated { self.complement(value, arg.span) } else { value };
        match self.target(target) {
            Target::Place(place, ty, true) => self.assign(place, &ty, value, arg.span),
            Target::Nothing => {}
            Target::Unsupported(what) => self.poison(arg.span, what),
            _ => self.error(target.span, "this cannot be assigned to"),
        }
    }

    /// The body of a unit at the cursor. RETURN leads behind it.
    pub fn run_body(&mut self, pou: usize, mut frame: super::vars::Frame, span: Span) {
        if self.frames.iter().any(|outer| outer.pou == Some(pou)) {
            let message = format!("`{}` calls itself, which is not allowed", self.unit.pous[pou].name.text);
            return self.error(span, message);
        }
        if self.frames.len() > MAX_NESTING {
            return self.poison(span, "calls that nest deeper than 100");
        }
        let end = self.new_location();
        frame.end = end;
        self.frames.push(frame);
        let reached = self.flow.cursor != Cursor::Nowhere;
        self.begin_temporaries(pou);
        let unit = self.unit;
        self.edges(pou);
        self.statements(&unit.pous[pou].body);
        self.frames.pop();
        if reached {
            self.place_at(end, span);
        }
    }

    fn call_function(&mut self, pou: usize, args: &[Arg], span: Span) -> Val {
        let unit = self.unit;
        let data = &unit.pous[pou];
        // All arguments are evaluated before a parameter gets one: they may call the function too.
        let mut given: Vec<(&VarDecl, Val, Span)> = Vec::new();
        let mut bound = FxHashMap::default();
        let mut outputs = Vec::new();
        for (number, arg) in args.iter().enumerate() {
            let Some((block, decl)) = self.parameter(pou, arg, number) else { continue };
            let Some(value) = &arg.value else { continue };
            match block.class {
                VarClass::InOut => self.bind(decl, value, &mut bound),
                VarClass::Output => outputs.push((decl, value, arg)),
                _ => {
                    let value = self.value(value);
                    given.push((decl, value, arg.span));
                }
            }
        }
        let any = self.generic_type(&given, span);
        let called_at = data.is_library.then_some(span);
        let mut frame = self.new_frame(Some(pou), bound, called_at);
        frame.any = any;
        self.frames.push(frame);
        for block in data.blocks.iter().filter(|block| block.class == VarClass::Input) {
            for decl in &block.vars {
                let ty = self.resolve_type(&decl.ty);
                if matches!(ty, Ty::Bad | Ty::Block(_)) {
                    self.define(decl, Slot::Unsupported("parameter of this type"));
                    continue;
                }
                let slot = self.local_var(&decl.name.text, decl, ty.clone());
                if let Slot::Place { place, .. } = &slot {
                    match given.iter().position(|(other, ..)| std::ptr::eq(*other, decl)) {
                        Some(at) => {
                            let (_, value, arg_span) = given.swap_remove(at);
                            self.assign(*place, &ty, value, arg_span);
                        }
                        None => {
                            let init = self.initial_of(decl);
                            self.set_initial(*place, &ty, init.as_ref(), span);
                        }
                    }
                }
                self.define(decl, slot);
            }
        }
        let result = self.result_slot(pou);
        let Some(mut frame) = self.frames.pop() else { return Val::Bad };
        self.check_in_outs(pou, &frame.names, span);
        frame.called_at = frame.called_at.or(called_at);
        self.run_body_keeping(pou, frame, span, &outputs);
        match result {
            Some(Slot::Place { place, ty, .. }) if ty.is_scalar() => {
                let id = self.cfa_type(&ty);
                let value = self.read(place, span);
                let kept = self.temp(id);
                self.emit(Op::Assign(kept, value), span);
                Val::Expr(self.read(kept, span), ty)
            }
            Some(Slot::Place { place, ty, .. }) => Val::Whole(place, ty),
            _ => Val::Bad,
        }
    }

    /// As [`Lower::run_body`], and outputs, which are variables of the call, are taken after it.
    fn run_body_keeping(
        &mut self,
        pou: usize,
        frame: super::vars::Frame,
        span: Span,
        outputs: &[(&VarDecl, &Expr, &Arg)],
    ) {
        let known: Vec<Span> = outputs.iter().map(|(decl, ..)| decl.name.span).collect();
        let any = frame.any.as_ref().map(|any| self.ty_name(any));
        self.run_body(pou, frame, span);
        for ((_, target, arg), place) in outputs.iter().zip(known) {
            let slot = self.locals.get(&(self.flow.function, place, any.clone())).cloned();
            self.take_output(slot, target, arg);
        }
    }

    /// The variable that a function's value is assigned to: it has the name of the function.
    fn result_slot(&mut self, pou: usize) -> Option<Slot> {
        let unit = self.unit;
        let data = &unit.pous[pou];
        let ty = data.result.as_ref()?;
        if let TypeKind::Named(name) = &ty.kind
            && name.key() == "VOID"
        {
            return None;
        }
        let ty = TypeExpr { kind: ty.kind.clone(), span: ty.span };
        let decl = VarDecl { name: data.name.clone(), ty, init: None, address: None, edge: None };
        let block = VarBlock { class: VarClass::Local, constant: false, vars: Vec::new() };
        let slot = self.automatic_slot(&block, &decl);
        self.define(&decl, slot.clone());
        Some(slot)
    }

    /// What `ANY` is: a type for all arguments of such parameters.
    fn generic_type(&mut self, given: &[(&VarDecl, Val, Span)], span: Span) -> Option<Ty> {
        let generic = |decl: &VarDecl| matches!(&decl.ty.kind, TypeKind::Named(name) if name.key().starts_with("ANY"));
        let mut common: Option<Val> = None;
        for (decl, value, _) in given {
            if !generic(decl) {
                continue;
            }
            common = Some(match common {
                None => value.clone(),
                Some(Val::Whole(place, ty)) => Val::Whole(place, ty),
                Some(other) => match self.unify(other, value.clone(), span) {
                    Some((one, _, ty)) => Val::Expr(one, ty),
                    None => Val::Bad,
                },
            });
        }
        Some(match common? {
            Val::Expr(_, ty) | Val::Whole(_, ty) => ty,
            Val::Int(_) => Ty::Int(cfa::IntKind::Int, false),
            Val::Real(_) => Ty::LReal,
            Val::Text(text) => Ty::Text(text.len().max(1) as u32),
            Val::Bad => Ty::Bad,
        })
    }
}
