//! Contracts of functions: conditions on the state in which a function is called, and on the state in which it returns. They are expressions of the
//! program over the parameters of the function, which have the values of the call in both, and over objects of static lifetime and what parameters
//! point to. [`VarKind::Result`] and [`VarKind::Old`] are the names that only contracts have: `\result`, and `\old(x)` for what `x` was at the call.

use crate::walk::{Node, children};
use crate::{ExprId, ExprKind, FuncId, Init, LocId, PlaceKind, Program, TypeId, Var, VarId, VarKind};
use base::Span;

/// Which states a condition of a proof is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Anchor {
    /// Those at the head of a loop, before the edges that leave it.
    Head(LocId),
    /// Those in which a function is called; the parameters have their values.
    Requires(FuncId),
    /// Those in which a function returns, seen together with the state in which it was called.
    Ensures(FuncId),
}

impl Anchor {
    pub fn head(self) -> Option<LocId> {
        match self {
            Anchor::Head(head) => Some(head),
            Anchor::Requires(_) | Anchor::Ensures(_) => None,
        }
    }

    /// Whether an expression mentions only what a condition of this kind can speak about. Of loop heads nothing is asked.
    pub fn can_state(self, program: &Program, expr: ExprId) -> bool {
        match self {
            Anchor::Head(_) => true,
            Anchor::Requires(function) | Anchor::Ensures(function) => {
                let returns = matches!(self, Anchor::Ensures(_));
                is_closed(program, function, returns, Node::Expr(expr))
            }
        }
    }
}

fn is_closed(program: &Program, function: FuncId, returns: bool, node: Node) -> bool {
    match node {
        Node::Expr(expr) => {
            if let ExprKind::Read(place) = program.exprs[expr].kind
                && let PlaceKind::Var(var) = program.places[place].kind
                && program.types.is_scalar(program.vars[var].ty)
            {
                return match program.vars[var].kind {
                    VarKind::Global | VarKind::Constant => true,
                    VarKind::Param(owner) => owner == function,
                    VarKind::Result(owner) => returns && owner == function,
                    VarKind::Old(before) => returns && is_closed(program, function, false, Node::Expr(before)),
                    VarKind::Local(_) | VarKind::Temp(_) | VarKind::Vla(_) | VarKind::Bound(_) => false,
                };
            }
        }
        // Other uses of a variable need its object.
        Node::Place(place) => {
            if let PlaceKind::Var(var) = program.places[place].kind
                && !matches!(program.vars[var].kind, VarKind::Global | VarKind::Constant)
            {
                return false;
            }
        }
    }
    children(program, node).into_iter().flatten().all(|child| is_closed(program, function, returns, child))
}

/// The variable [`VarKind::Bound`] that an expression mentions: as a condition it is meant for all its values.
pub fn bound_variable(program: &Program, expr: ExprId) -> Option<VarId> {
    let mut open = vec![Node::Expr(expr)];
    while let Some(node) = open.pop() {
        if let Node::Place(place) = node
            && let PlaceKind::Var(var) = program.places[place].kind
            && matches!(program.vars[var].kind, VarKind::Bound(_))
        {
            return Some(var);
        }
        open.extend(children(program, node).into_iter().flatten());
    }
    None
}

/// The variables [`VarKind::Old`] that an expression mentions, ascending.
pub fn old_values(program: &Program, expr: ExprId) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut open = vec![Node::Expr(expr)];
    while let Some(node) = open.pop() {
        if let Node::Place(place) = node
            && let PlaceKind::Var(var) = program.places[place].kind
            && matches!(program.vars[var].kind, VarKind::Old(_))
        {
            found.push(var);
        }
        open.extend(children(program, node).into_iter().flatten());
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The type of a function's result.
pub fn result_type(program: &Program, function: FuncId) -> Option<TypeId> {
    match program.types.get(program.functions[function].ty) {
        crate::Type::Function(signature) => Some(signature.result),
        _ => None,
    }
}

impl Program {
    /// The name `\result` of a function whose result is a scalar; added if there is none yet.
    pub fn result_name(&mut self, function: FuncId) -> Option<VarId> {
        let ty = result_type(self, function).filter(|ty| self.types.is_scalar(*ty))?;
        Some(self.contract_name(VarKind::Result(function), "\\result".to_string(), ty))
    }

    /// The name `\old(…)` of what a scalar expression was when the function was called; added if there is none yet.
    pub fn old_name(&mut self, expr: ExprId) -> VarId {
        let text = format!("\\old({})", crate::display::expr_text(self, expr));
        self.contract_name(VarKind::Old(expr), text, self.exprs[expr].ty)
    }

    /// The name of a variable over all values of an integer type, for conditions that hold for all of them; added if there is none yet.
    pub fn bound_name(&mut self, ty: TypeId) -> VarId {
        self.contract_name(VarKind::Bound(ty), "\\k".to_string(), ty)
    }

    fn contract_name(&mut self, kind: VarKind, name: String, ty: TypeId) -> VarId {
        if let Some((known, _)) = self.vars.iter().find(|(_, var)| var.kind == kind) {
            return known;
        }
        let name = self.names.intern(&name);
        self.vars.push(Var {
            name,
            ty,
            kind,
            init: Init::None,
            address_taken: false,
            read_only: false,
            span: Span::NONE,
        })
    }
}
