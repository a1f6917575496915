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

/// The arguments of a function: values of inputs, names for VAR_IN_OUT, and where outputs go.
#[derive(Default)]
pub struct Given<'c> {
    pub inputs: Vec<(&'c VarDecl, Val, Span)>,
    pub bound: FxHashMap<String, Slot>,
    pub outputs: Vec<(&'c VarDecl, &'c Expr, &'c Arg)>,
}

/// `EN := condition`, `ENO => variable` of a call.
struct Switch<'c> {
    enabled: Option<&'c Expr>,
    reported: Option<&'c Expr>,
}

impl<'c> Switch<'c> {
    fn is_part(arg: &Arg) -> bool {
        let name = arg.name.as_ref().map(|name| name.key());
        matches!((name.as_deref(), arg.is_output), (Some("EN"), false) | (Some("ENO"), true))
    }

    fn of(args: &'c [Arg]) -> Option<Switch<'c>> {
        let part = |is_output: bool| {
            args.iter().find(|arg| Switch::is_part(arg) && arg.is_output == is_output)?.value.as_ref()
        };
        args.iter().any(Switch::is_part).then(|| Switch { enabled: part(false), reported: part(true) })
    }
}

/// How long a text can be.
fn text_length(value: &Val) -> Option<u32> {
    match value {
        Val::Text(text) => Some(text.len() as u32),
        Val::Whole(_, Ty::Text(length)) => Some(*length),
        _ => None,
    }
}

/// `SUPER^`
pub fn is_super(expr: &Expr) -> bool {
    match &expr.kind {
        Ast::Deref(of) => is_super(of),
        Ast::Name(name) => name.eq_ignore_ascii_case("SUPER"),
        _ => false,
    }
}

/// What CoDeSys calls parameters of functions of texts.
const OTHER_PARAMETERS: &[(&str, &str)] =
    &[("STR", "IN"), ("STR1", "IN1"), ("STR2", "IN2"), ("SIZE", "L"), ("LEN", "L"), ("POS", "P")];

/// Calls nest at most so deep.
const MAX_NESTING: usize = 100;

impl<'a> Lower<'a> {
    pub fn call_statement(&mut self, callee: &Expr, args: &[Arg], span: Span) {
        if let Some(switch) = Switch::of(args).filter(|_| !self.has_own_enable(callee)) {
            return self.switched(&switch, args, span, None, |lower, args| lower.call_statement(callee, args, span));
        }
        if let Some((member, instance)) = self.member_called(callee) {
            return drop(self.call_member(member, instance, args, span));
        }
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
            // The body of the block that this one extends.
            _ if is_super(callee) => {
                let base = self.super_block();
                let own = self.frames.last().and_then(|frame| frame.instance);
                match (base, own) {
                    (Some(base), Some(own)) => self.call_body(own, base, &[], callee.span),
                    _ => self.error(callee.span, "this block extends no other one"),
                }
                Some(Target::Nothing)
            }
            _ => Some(match self.target(callee) {
                found @ (Target::Block(_) | Target::Choice(_) | Target::Unsupported(_) | Target::Nothing) => found,
                _ => {
                    self.error(callee.span, "this cannot be called");
                    Target::Nothing
                }
            }),
        }
    }

    /// A call with EN: it happens only where EN is true, and ENO says whether it did. What it would have given is not known otherwise.
    fn switched(
        &mut self,
        switch: &Switch<'_>,
        args: &[Arg],
        span: Span,
        without: Option<&str>,
        call: impl FnOnce(&mut Self, &[Arg]),
    ) {
        let rest: Vec<Arg> = args.iter().filter(|arg| !Switch::is_part(arg)).cloned().collect();
        let enabled = match switch.enabled {
            Some(cond) => self.condition(cond),
            None => self.constant(1, cfa::TypeId::BOOL, span),
        };
        let (yes, no) = self.branch(enabled, Branch::Conditional, switch.enabled.map_or(span, |cond| cond.span));
        self.flow.cursor = yes;
        call(self, &rest);
        self.report_enabled(switch, true, span);
        let done = self.flow.cursor;
        self.flow.cursor = no;
        self.report_enabled(switch, false, span);
        if let Some(what) = without {
            self.poison(span, what);
        }
        let left_out = self.flow.cursor;
        self.join(&[done, left_out], span);
    }

    fn report_enabled(&mut self, switch: &Switch<'_>, enabled: bool, span: Span) {
        let Some(target) = switch.reported else { return };
        match self.target(target) {
            Target::Place(place, ty, true) => {
                let value = self.boolean(enabled, span);
                self.assign(place, &ty, value, span);
            }
            Target::Nothing => {}
            Target::Unsupported(what) => self.poison(span, what),
            _ => self.error(target.span, "this cannot be assigned to"),
        }
    }

    /// A call that has a value.
    pub fn call_value(&mut self, callee: &Expr, args: &[Arg], span: Span) -> Val {
        if let Some(switch) = Switch::of(args).filter(|_| !self.has_own_enable(callee)) {
            let mut result = Val::Bad;
            let without = Some("the value of a call that EN switches off");
            self.switched(&switch, args, span, without, |lower, args| {
                let value = lower.call_value(callee, args, span);
                result = lower.keep_value(value, span);
            });
            return result;
        }
        if let Some((member, instance)) = self.member_called(callee) {
            return self.call_member(member, instance, args, span);
        }
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
                self.call_function(pou, None, &[inner, last[0].clone()], span)
            }
            Some(pou) if self.unit.pous[pou].kind == PouKind::Function => self.call_function(pou, None, args, span),
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
        let mut all = self
            .blocks_of(pou)
            .into_iter()
            .filter(|block| classes.contains(&block.class))
            .flat_map(|block| block.vars.iter().map(move |decl| (block, decl)));
        let found = match &arg.name {
            Some(name) => {
                let own = match data.is_library {
                    true => OTHER_PARAMETERS.iter().find(|(other, _)| *other == name.key()).map(|(_, own)| *own),
                    false => None,
                };
                let mut named = all.clone();
                named
                    .find(|(_, decl)| decl.name.text.eq_ignore_ascii_case(&name.text))
                    .or_else(|| all.find(|(_, decl)| own.is_some_and(|own| decl.name.text.eq_ignore_ascii_case(own))))
            }
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

    pub fn call_block(&mut self, instance: InstanceId, args: &[Arg], span: Span) {
        match self.instances[instance].pou {
            Some(pou) => self.call_body(instance, pou, args, span),
            None => self.error(span, "a data block cannot be called"),
        }
    }

    /// The body of an instance's block, of one that it extends, or one of its actions.
    pub fn call_body(&mut self, instance: InstanceId, body: usize, args: &[Arg], span: Span) {
        let Some(pou) = self.instances[instance].pou else { return };
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
        let mut names = if body == pou { slots } else { self.names_of(instance, body) };
        let mut all_bound = self.bound_of(instance);
        all_bound.extend(bound.clone());
        names.extend(bound);
        self.check_in_outs(pou, &names, span);
        let mut frame = self.new_frame(Some(body), names.clone(), self.unit.pous[pou].is_library.then_some(span));
        (frame.instance, frame.bound) = (Some(instance), all_bound);
        self.run_body(body, frame, span);
        for (decl, target, arg) in outputs {
            let slot = names.get(&decl.name.key()).cloned();
            self.take_output(slot, target, arg);
        }
    }

    fn check_in_outs(&mut self, pou: usize, names: &FxHashMap<String, Slot>, span: Span) {
        let blocks = self.blocks_of(pou).into_iter().filter(|block| block.class == VarClass::InOut);
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
        // Types of other names may mean something else in the block that is called.
        if let (Target::Place(_, ty, _), TypeKind::Named(name)) = (&target, &decl.ty.kind)
            && let Some(wanted @ (Ty::Bool | Ty::Int(..) | Ty::Real | Ty::LReal)) =
                super::types::elementary(&name.key())
            && ty.is_scalar()
            && self.cfa_type(ty) != self.cfa_type(&wanted)
        {
            let (wanted, found) = (self.ty_name(&wanted), self.ty_name(ty));
            self.error(value.span, format!("VAR_IN_OUT `{}` is a {wanted}, this is a {found}", decl.name.text));
            bound.insert(decl.name.key(), Slot::Unsupported("parameter of another type"));
            return;
        }
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
        let unit = self.unit;
        // An action sees the temporary variables of its block, also when another block calls it.
        if let (PouKind::Action, Some(owner)) = (unit.pous[pou].kind, &unit.pous[pou].owner)
            && let Some(owner) = self.pous.get(&owner.key()).copied()
            && !self.frames.iter().any(|outer| outer.pou == Some(owner))
        {
            self.begin_temporaries(owner);
        }
        self.begin_temporaries(pou);
        self.edges(pou);
        let labels = self.find_labels(&unit.pous[pou].body);
        if let Some(frame) = self.frames.last_mut() {
            frame.labels = labels;
        }
        self.statements(&unit.pous[pou].body);
        self.frames.pop();
        if reached {
            self.place_at(end, span);
        }
    }

    /// A function, or a method of an instance.
    pub fn call_function(&mut self, pou: usize, of: Option<InstanceId>, args: &[Arg], span: Span) -> Val {
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
                    let mut value = self.value(value);
                    // What follows may change what this one read.
                    if self.any_calls_own_code(&args[number + 1..]) {
                        value = self.keep_value(value, arg.span);
                    }
                    given.push((decl, value, arg.span));
                }
            }
        }
        self.call_with(pou, of, Given { inputs: given, bound, outputs }, span)
    }

    /// The call of a function whose arguments are evaluated.
    pub fn call_with(&mut self, pou: usize, of: Option<InstanceId>, given: Given<'_>, span: Span) -> Val {
        let unit = self.unit;
        let data = &unit.pous[pou];
        let Given { inputs: mut given, bound, outputs } = given;
        let any = self.generic_type(&given, span);
        let called_at = data.is_library.then_some(span);
        let mut names = of.map(|instance| self.names_of(instance, pou)).unwrap_or_default();
        names.extend(bound);
        let of_instance = of.map(|instance| self.bound_of(instance)).unwrap_or_default();
        let mut frame = self.new_frame(Some(pou), names, called_at);
        (frame.instance, frame.bound) = (of, of_instance);
        frame.any = any;
        self.frames.push(frame);
        for block in data.blocks.iter().filter(|block| block.class == VarClass::Input) {
            for decl in &block.vars {
                let ty = self.resolve_type(&decl.ty);
                if matches!(ty, Ty::Bad | Ty::Block(_)) {
                    self.define(decl, Slot::Unsupported("parameter of this type"));
                    continue;
                }
                let at = given.iter().position(|(other, ..)| std::ptr::eq(*other, decl));
                let first = at.map_or(span, |at| given[at].2);
                let slot = self.local_var(&decl.name.text, decl, ty.clone(), first);
                if let Slot::Place { place, .. } = &slot {
                    match at {
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
    pub fn result_slot(&mut self, pou: usize) -> Option<Slot> {
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
                Some(other) if text_length(&other).is_some() && text_length(value).is_some() => {
                    let length = text_length(&other).max(text_length(value)).unwrap_or(0);
                    Val::Text(vec![0; length as usize])
                }
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
