//! Inputs with R_EDGE or F_EDGE. As the standard has it (IEC 61131-3, third edition, section 6.5.2.2), an instance of R_TRIG or F_TRIG belongs to such an input: it
//! runs at the beginning of every call of the block, and in the body the name of the input stands for its output. From outside the input is what was given.

use super::super::ast::{Edge, PouKind, VarBlock, VarClass, VarDecl};
use super::Lower;
use super::types::Ty;
use super::vars::Slot;
use cfa::{BinOp, Op, PlaceId, PlaceKind};

/// Keys of variables that no name of a text has.
fn keys(decl: &VarDecl) -> [String; 2] {
    let key = decl.name.key();
    [format!("{key}#Q"), format!("{key}#M")]
}

impl Lower<'_> {
    /// The variables of the trigger that belongs to an input of an instance.
    pub fn edge_slots(&mut self, instance: &str, block: &VarBlock, decl: &VarDecl) {
        let Some(edge) = decl.edge else { return };
        if block.class != VarClass::Input || !matches!(self.resolve_type(&decl.ty), Ty::Bool) {
            return self.error(decl.name.span, "R_EDGE and F_EDGE are for inputs of type BOOL");
        }
        let word = if edge == Edge::Rising { "R_EDGE" } else { "F_EDGE" };
        let prefix = if instance.is_empty() { String::new() } else { format!("{instance}.") };
        let hidden = VarDecl { init: None, address: None, edge: None, ..decl.clone() };
        let local = VarBlock { class: VarClass::Local, constant: false, vars: Vec::new() };
        for (key, part) in keys(decl).into_iter().zip(["Q", "M"]) {
            let slot = self.static_slot(format!("{prefix}{}.{word}.{part}", decl.name.text), &local, &hidden);
            if let Slot::Place { place, .. } = &slot
                && let PlaceKind::Var(var) = self.program.places[*place].kind
            {
                self.private.insert(var);
            }
            if let Some(frame) = self.frames.last_mut() {
                frame.names.insert(key, slot);
            }
        }
    }

    /// At the beginning of a body: the triggers run, and names of inputs mean what they say.
    pub fn edges(&mut self, pou: usize) {
        let unit = self.unit;
        let data = &unit.pous[pou];
        for decl in data.blocks.iter().flat_map(|block| &block.vars) {
            let Some(edge) = decl.edge else { continue };
            let span = decl.name.span;
            if data.kind == PouKind::Function {
                self.error(span, "inputs of functions have no edges: a function keeps nothing from call to call");
                continue;
            }
            let place = |lower: &Self, key: &str| -> Option<PlaceId> {
                match lower.frames.last()?.names.get(key)? {
                    Slot::Place { place, .. } => Some(*place),
                    _ => None,
                }
            };
            let [q, m] = keys(decl);
            let (Some(input), Some(q), Some(m)) = (place(self, &decl.name.key()), place(self, &q), place(self, &m))
            else {
                continue;
            };
            let mut now = self.read(input, span);
            if edge == Edge::Falling {
                now = self.negate(now, span);
            }
            let before = self.read(m, span);
            let before = self.negate(before, span);
            let changed = self.both(BinOp::And, now, before, span);
            self.emit(Op::Assign(q, changed), span);
            self.emit(Op::Assign(m, now), span);
            if let Some(frame) = self.frames.last_mut() {
                frame.names.insert(decl.name.key(), Slot::Place { place: q, ty: Ty::Bool, writable: false });
            }
        }
    }
}
