//! Methods and actions of blocks, and what blocks inherit: which one a call names, and what it sees.

use super::super::ast::{Arg, Expr, ExprKind as Ast, PouKind, VarClass};
use super::Lower;
use super::call::is_super;
use super::expr::Target;
use super::operator::Val;
use super::vars::{InstanceId, Slot};
use base::Span;
use rustc_hash::FxHashMap;

impl Lower<'_> {
    /// The method or action that a call names, with the instance that it works on.
    pub fn member_called(&mut self, callee: &Expr) -> Option<(usize, InstanceId)> {
        let own = self.frames.last().and_then(|frame| frame.instance);
        match &callee.kind {
            Ast::Name(name) if self.lookup(name).is_none() => {
                let block = self.instances[own?].pou?;
                Some((self.member_of(block, name)?, own?))
            }
            Ast::Member(of, name) => {
                let wanted = name.key();
                let is_member = |pou: &super::super::ast::Pou| pou.owner.is_some() && pou.name.key() == wanted;
                if !self.unit.pous.iter().any(is_member) {
                    return None;
                }
                if let (true, Some(own)) = (is_super(of), own) {
                    return Some((self.member_of(self.super_block()?, &name.text)?, own));
                }
                match self.target(of) {
                    Target::Block(instance) => {
                        Some((self.member_of(self.instances[instance].pou?, &name.text)?, instance))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The block that the one of this code extends.
    pub fn super_block(&self) -> Option<usize> {
        let unit = self.unit;
        let pou = &unit.pous[self.frames.last()?.pou?];
        let block = match &pou.owner {
            Some(owner) => &unit.pous[self.pous.get(&owner.key()).copied()?],
            None => pou,
        };
        self.pous.get(&block.base.as_ref()?.key()).copied()
    }

    pub fn call_member(&mut self, member: usize, instance: InstanceId, args: &[Arg], span: Span) -> Val {
        match self.unit.pous[member].kind {
            PouKind::Action => {
                self.call_body(instance, member, args, span);
                Val::Bad
            }
            _ => self.call_function(member, Some(instance), args, span),
        }
    }

    /// The names that a method or action of an instance sees. In its own block they are the same as there.
    pub fn names_of(&self, instance: InstanceId, member: usize) -> FxHashMap<String, Slot> {
        let mut names = self.instances[instance].slots.clone();
        if let Some(frame) = self.frames.last().filter(|frame| frame.instance == Some(instance)) {
            let is_method = frame.pou.is_some_and(|pou| self.unit.pous[pou].kind == PouKind::Method);
            names.extend(if is_method { frame.bound.clone() } else { frame.names.clone() });
        }
        // What a method declares hides what the block has.
        let unit = self.unit;
        if unit.pous[member].kind == PouKind::Method {
            for decl in unit.pous[member].blocks.iter().flat_map(|block| &block.vars) {
                names.remove(&decl.name.key());
            }
            names.remove(&unit.pous[member].name.key());
        }
        names
    }

    pub fn bound_of(&self, instance: InstanceId) -> FxHashMap<String, Slot> {
        let frame = self.frames.last().filter(|frame| frame.instance == Some(instance));
        frame.map(|frame| frame.bound.clone()).unwrap_or_default()
    }

    /// A method or action on its own, to find what is wrong in it.
    pub fn inline_member(&mut self, member: usize, instance: InstanceId) {
        let unit = self.unit;
        let data = &unit.pous[member];
        let names = self.names_of(instance, member);
        let mut frame = self.new_frame(Some(member), names, None);
        frame.instance = Some(instance);
        self.frames.push(frame);
        for block in &data.blocks {
            if matches!(block.class, VarClass::Input | VarClass::InOut) {
                for decl in &block.vars {
                    let slot = self.static_slot(decl.name.text.clone(), block, decl);
                    self.define(decl, slot);
                }
            }
        }
        self.result_slot(member);
        if let Some(frame) = self.frames.pop() {
            self.run_body(member, frame, data.name.span);
        }
    }

    /// Whether what is called declares an input EN of its own.
    pub fn has_own_enable(&self, callee: &Expr) -> bool {
        let declares = |pou: usize| {
            let mut vars = self.blocks_of(pou).into_iter().flat_map(|block| &block.vars);
            vars.any(|decl| decl.name.key() == "EN")
        };
        let instance = |slot: Option<Slot>| match slot {
            Some(Slot::Block(instance)) => self.instances[instance].pou,
            Some(Slot::Blocks(blocks)) => self.instances[*blocks.1.first()?].pou,
            _ => None,
        };
        fn block(lower: &Lower<'_>, callee: &Expr) -> Option<Slot> {
            match &callee.kind {
                Ast::Name(name) => lower.lookup(name),
                Ast::Index(of, _) => block(lower, of),
                Ast::Member(of, name) => match block(lower, of)? {
                    Slot::Block(instance) => lower.instances[instance].slots.get(&name.key()).cloned(),
                    _ => None,
                },
                _ => None,
            }
        }
        let function = match &callee.kind {
            Ast::Name(name) => self.pous.get(&super::key(name)).copied(),
            _ => None,
        };
        instance(block(self, callee)).or(function).is_some_and(declares)
    }
}
