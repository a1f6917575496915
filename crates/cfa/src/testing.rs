//! A builder of small programs for the tests of this crate, and a generator of random ones.

use crate::types::{BitRange, Field, FunctionType, RecordKind};
use crate::*;
use base::ids::Id;
use base::{Span, Symbol};

/// Xorshift: tests need neither quality nor a dependency.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 16) as usize % bound
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// Builds one function after another: `begin`, locals, locations, edges, `end`.
pub struct Builder {
    pub program: Program,
    current: FuncId,
    start: (usize, usize, usize),
    scope: ScopeId,
}

impl Builder {
    pub fn new() -> Self {
        Self::with_model(DataModel::Lp64)
    }

    pub fn with_model(model: DataModel) -> Self {
        Builder { program: Program::new(model), current: FuncId(0), start: (0, 0, 0), scope: ScopeId(0) }
    }

    pub fn symbol(&mut self, name: &str) -> Symbol {
        self.program.names.intern(name)
    }

    fn bind(&mut self, scope: ScopeId, name: Symbol, binding: Binding) {
        self.program.scopes[scope].names.push((name, binding));
    }

    fn push_var(&mut self, name: &str, ty: TypeId, kind: VarKind, init: Init) -> VarId {
        let name = self.symbol(name);
        self.program.vars.push(Var { name, ty, kind, init, address_taken: false, read_only: false, span: Span::NONE })
    }

    pub fn global(&mut self, name: &str, ty: TypeId, init: Init) -> VarId {
        let var = self.push_var(name, ty, VarKind::Global, init);
        let symbol = self.symbol(name);
        self.bind(ScopeId(0), symbol, Binding::Var(var));
        var
    }

    pub fn constant_var(&mut self, ty: TypeId, bytes: &[u8]) -> VarId {
        let init = Init::Static(StaticInit { bytes: bytes.to_vec(), relocations: Vec::new() });
        self.push_var("", ty, VarKind::Constant, init)
    }

    pub fn string(&mut self, text: &str) -> VarId {
        let ty = self.program.types.array_of(TypeId::CHAR, Some(text.len() as u64 + 1));
        let bytes: Vec<u8> = text.bytes().chain([0]).collect();
        self.constant_var(ty, &bytes)
    }

    /// A read of a global `int`, made when first asked for.
    pub fn global_int(&mut self, name: &str) -> ExprId {
        let symbol = self.symbol(name);
        let found = self.program.vars.iter().find(|(_, var)| var.name == symbol).map(|(id, _)| id);
        let var = found.unwrap_or_else(|| self.global(name, TypeId::INT, Init::Zero));
        self.var(var)
    }

    pub fn function_type(&mut self, result: TypeId, params: &[TypeId]) -> TypeId {
        let function = FunctionType { result, params: params.to_vec(), variadic: false, unprototyped: false };
        self.program.types.intern(Type::Function(function))
    }

    pub fn declare(&mut self, name: &str, ty: TypeId, body: Body) -> FuncId {
        let name = self.symbol(name);
        let id = self.program.functions.push(Function { name, ty, params: Vec::new(), body, span: Span::NONE });
        self.bind(ScopeId(0), name, Binding::Function(id));
        id
    }

    /// Starts the definition of a function; the variables of its parameters are in `functions[f].params`.
    pub fn begin(&mut self, name: &str, result: TypeId, params: &[(&str, TypeId)]) -> FuncId {
        let types: Vec<TypeId> = params.iter().map(|(_, ty)| *ty).collect();
        let ty = self.function_type(result, &types);
        let function = self.declare(name, ty, Body::Undefined);
        self.current = function;
        self.start = (self.program.locations.len(), self.program.edges.len(), self.program.vars.len());
        let visible = self.program.scopes[ScopeId(0)].names.len() as u32;
        let scope = Scope { parent: Some((ScopeId(0), visible)), names: Vec::new(), span: Span::new(5, 500) };
        self.scope = self.program.scopes.push(scope);
        for (name, ty) in params {
            let var = self.push_var(name, *ty, VarKind::Param(function), Init::None);
            let symbol = self.symbol(name);
            self.bind(self.scope, symbol, Binding::Var(var));
            self.program.functions[function].params.push(var);
        }
        function
    }

    /// `void name(void)`
    pub fn begin_simple(&mut self, name: &str) -> FuncId {
        self.begin(name, TypeId::VOID, &[])
    }

    pub fn local(&mut self, name: &str, ty: TypeId) -> VarId {
        let var = self.push_var(name, ty, VarKind::Local(self.current), Init::None);
        let symbol = self.symbol(name);
        self.bind(self.scope, symbol, Binding::Var(var));
        var
    }

    pub fn temp(&mut self, ty: TypeId) -> VarId {
        self.push_var("", ty, VarKind::Temp(self.current), Init::None)
    }

    pub fn vla(&mut self, name: &str, ty: TypeId) -> VarId {
        self.push_var(name, ty, VarKind::Vla(self.current), Init::None)
    }

    pub fn loc(&mut self) -> LocId {
        let visible = self.program.scopes[self.scope].names.len() as u32;
        let (function, scope) = (self.current, self.scope);
        self.program.add_location(function, scope, visible)
    }

    pub fn edge(&mut self, from: LocId, op: Op, to: LocId) -> EdgeId {
        self.edge_at(from, op, to, Span::NONE)
    }

    pub fn edge_at(&mut self, from: LocId, op: Op, to: LocId, span: Span) -> EdgeId {
        self.program.add_edge(Edge { from, to, op, span, anchor: span.lo, caveat: None })
    }

    pub fn branch(&mut self, from: LocId, cond: ExprId, role: AssumeRole, yes: LocId, no: LocId) {
        self.edge(from, Op::Assume { cond, truth: true, role }, yes);
        self.edge(from, Op::Assume { cond, truth: false, role }, no);
    }

    /// A location after `from`, reached by the operation.
    pub fn then(&mut self, from: LocId, op: Op) -> LocId {
        let to = self.loc();
        self.edge(from, op, to);
        to
    }

    pub fn call(&mut self, from: LocId, dest: Option<PlaceId>, callee: Callee, args: &[ExprId]) -> LocId {
        let start = self.program.args.len() as u32;
        self.program.args.extend(args);
        let args = (start, self.program.args.len() as u32);
        self.then(from, Op::Call { dest, callee, args })
    }

    pub fn end(&mut self, entry: LocId, exit: LocId) {
        let range = |start: usize, len: usize| start as u32..len as u32;
        let automaton = Automaton {
            entry,
            exit,
            locations: range(self.start.0, self.program.locations.len()),
            edges: range(self.start.1, self.program.edges.len()),
            vars: range(self.start.2, self.program.vars.len()),
            scope: self.scope,
            span: Span::new(3, 600),
        };
        self.program.functions[self.current].body = Body::Defined(automaton);
    }

    pub fn expr(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.program.exprs.push(Expr { kind, ty, span: Span::NONE })
    }

    pub fn place(&mut self, kind: PlaceKind, ty: TypeId) -> PlaceId {
        self.program.places.push(Place { kind, ty })
    }

    pub fn constant(&mut self, ty: TypeId, value: i128) -> ExprId {
        let bits = self.program.types.scalar_bits(ty);
        let mask = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
        self.expr(ExprKind::Const(Bits::new(value as u128 & mask)), ty)
    }

    pub fn int(&mut self, value: i32) -> ExprId {
        self.constant(TypeId::INT, value as i128)
    }

    pub fn var_place(&mut self, var: VarId) -> PlaceId {
        self.place(PlaceKind::Var(var), self.program.vars[var].ty)
    }

    pub fn var(&mut self, var: VarId) -> ExprId {
        let place = self.var_place(var);
        self.read(place)
    }

    pub fn read(&mut self, place: PlaceId) -> ExprId {
        self.expr(ExprKind::Read(place), self.program.places[place].ty)
    }

    /// The address of a place; marks the variable under it.
    pub fn address(&mut self, place: PlaceId) -> ExprId {
        let ty = self.program.types.pointer_to(self.program.places[place].ty);
        self.address_as(place, ty)
    }

    pub fn address_as(&mut self, place: PlaceId, ty: TypeId) -> ExprId {
        let mut root = place;
        loop {
            match self.program.places[root].kind {
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root = base,
                PlaceKind::Var(var) => break self.program.vars[var].address_taken = true,
                PlaceKind::Deref(_) => break,
            }
        }
        self.expr(ExprKind::AddrOf(place), ty)
    }

    pub fn deref(&mut self, pointer: ExprId) -> PlaceId {
        let ty = self.program.types.pointee(self.ty(pointer)).expect("a pointer");
        self.place(PlaceKind::Deref(pointer), ty)
    }

    pub fn field(&mut self, base: PlaceId, index: u32) -> PlaceId {
        let Type::Record(record) = *self.program.types.get(self.program.places[base].ty) else { panic!("a record") };
        let ty = self.program.types.records[record].fields[index as usize].ty;
        self.place(PlaceKind::Field(base, index), ty)
    }

    pub fn index(&mut self, base: PlaceId, index: ExprId) -> PlaceId {
        let Type::Array(element, _) = *self.program.types.get(self.program.places[base].ty) else { panic!("an array") };
        self.place(PlaceKind::Index(base, index), element)
    }

    pub fn binary(&mut self, op: BinOp, left: ExprId, right: ExprId) -> ExprId {
        let ty = if op.is_comparison() { TypeId::INT } else { self.ty(left) };
        self.expr(ExprKind::Binary(op, left, right), ty)
    }

    pub fn unary(&mut self, op: UnOp, operand: ExprId) -> ExprId {
        let ty = if op == UnOp::Not { TypeId::INT } else { self.ty(operand) };
        self.expr(ExprKind::Unary(op, operand), ty)
    }

    pub fn cast(&mut self, ty: TypeId, operand: ExprId) -> ExprId {
        self.expr(ExprKind::Cast(operand), ty)
    }

    pub fn ptr_add(&mut self, pointer: ExprId, offset: ExprId) -> ExprId {
        self.expr(ExprKind::PtrAdd(pointer, offset), self.ty(pointer))
    }

    pub fn ty(&self, expr: ExprId) -> TypeId {
        self.program.exprs[expr].ty
    }

    /// `struct tag { int x; struct tag *next; unsigned flags : 5; }`, the bit-field at bit 3.
    pub fn list_record(&mut self, tag: &str) -> (RecordId, TypeId) {
        let names = ["x", "next", "flags"].map(|name| Some(self.symbol(name)));
        let tag = self.symbol(tag);
        let types = &mut self.program.types;
        let (record, ty) = types.new_record(RecordKind::Struct, Some(tag));
        let next = types.pointer_to(ty);
        let bytes = types.model.pointer_bytes();
        let bits = Some(BitRange { start: 3, width: 5 });
        types.records[record].fields = vec![
            Field { name: names[0], ty: TypeId::INT, offset: 0, bits: None, is_const: false },
            Field { name: names[1], ty: next, offset: bytes, bits: None, is_const: false },
            Field { name: names[2], ty: TypeId::UINT, offset: 2 * bytes, bits, is_const: false },
        ];
        (types.records[record].size, types.records[record].align) = (3 * bytes, bytes);
        types.records[record].complete = true;
        (record, ty)
    }
}

/// A program with at least one operation of each kind: every verifier test starts from it.
pub struct Sample {
    pub b: Builder,
    pub record: TypeId,
    pub array: TypeId,
    pub main: FuncId,
    pub other: FuncId,
    pub nondet: FuncId,
    pub global: VarId,
    pub text: VarId,
    pub x: VarId,
    pub pointer: VarId,
    pub whole: VarId,
    pub items: VarId,
    pub other_param: VarId,
}

pub fn sample() -> Sample {
    let mut b = Builder::new();
    let (_, record) = b.list_record("node");
    let array = b.program.types.array_of(TypeId::INT, Some(4));
    let int_pointer = b.program.types.pointer_to(TypeId::INT);
    let record_pointer = b.program.types.pointer_to(record);
    let global = b.global("counter", TypeId::INT, Init::Zero);
    b.global("elsewhere", array, Init::Unknown);
    let text = b.string("hi\n");
    b.program.vars[text].address_taken = true;
    b.program.vars[global].address_taken = true;
    let relocation = |offset, target, addend| Relocation { offset, target, addend };
    let table = b.program.types.array_of(TypeId::VOID_POINTER, Some(3));
    let nondet_type = b.function_type(TypeId::INT, &[]);
    let nondet = b.declare("__VERIFIER_nondet_int", nondet_type, Body::Undefined);
    let relocations =
        vec![relocation(8, RelocationTarget::Var(global), 4), relocation(16, RelocationTarget::Function(nondet), -1)];
    b.global("table", table, Init::Static(StaticInit { bytes: vec![1, 2, 0xff], relocations }));
    let malloc_type = b.function_type(TypeId::VOID_POINTER, &[TypeId::ULONG]);
    let lib = library::lookup("malloc").expect("malloc is modelled");
    let malloc = b.declare("malloc", malloc_type, Body::Library(lib));
    let variadic = FunctionType { result: TypeId::INT, params: vec![TypeId::INT], variadic: true, unprototyped: false };
    let variadic = b.program.types.intern(Type::Function(variadic));
    let sum = b.declare("sum", variadic, Body::Undefined);

    let other = b.begin("other", TypeId::INT, &[("a", TypeId::INT), ("s", record)]);
    let other_param = b.program.functions[other].params[0];
    let (start, exit) = (b.loc(), b.loc());
    let value = b.var(other_param);
    b.edge(start, Op::Return(Some(value)), exit);
    b.end(start, exit);

    let main = b.begin("main", TypeId::INT, &[]);
    let red = b.symbol("RED");
    b.bind(b.scope, red, Binding::Constant(TypeId::INT, Bits::new(0xffff_ffff)));
    let alias = b.symbol("node_t");
    b.bind(b.scope, alias, Binding::Type(record));
    let x = b.local("x", TypeId::INT);
    let pointer = b.local("p", record_pointer);
    let whole = b.local("whole", record);
    let items = b.local("items", array);
    let temp = b.temp(int_pointer);
    let vla = b.vla("dynamic", int_pointer);
    let (start, exit) = (b.loc(), b.loc());
    let mut at = b.then(start, Op::Declare(x));
    let x_place = b.var_place(x);
    at = b.then(at, Op::Havoc(x_place, InputKind::Nondet(nondet)));
    let size = b.constant(TypeId::ULONG, 24);
    at = b.then(at, Op::Alloca(vla, size));
    let temp_place = b.var_place(temp);
    let items_place = b.var_place(items);
    let first = b.address_as(items_place, int_pointer);
    let one = b.int(1);
    let moved = b.ptr_add(first, one);
    at = b.then(at, Op::Assign(temp_place, moved));
    let pointer_place = b.var_place(pointer);
    let whole_place = b.var_place(whole);
    let whole_address = b.address(whole_place);
    at = b.then(at, Op::Assign(pointer_place, whole_address));
    let cursor = b.var(pointer);
    let node = b.deref(cursor);
    let node_value = b.read(node);
    at = b.then(at, Op::Assign(whole_place, node_value));
    let flags = b.field(node, 2);
    let flags_value = b.read(flags);
    let narrowed = b.cast(TypeId::INT, flags_value);
    let position = b.var(x);
    let item = b.index(items_place, position);
    at = b.then(at, Op::Assign(item, narrowed));

    let (body, after) = (b.loc(), b.loc());
    b.program.locations[at].loop_head = Some(Span::new(40, 90));
    let (left, limit) = (b.var(x), b.int(10));
    let cond = b.binary(BinOp::Lt, left, limit);
    b.branch(at, cond, AssumeRole::Branch(Branch::While), body, after);
    let (left, amount) = (b.var(x), b.constant(TypeId::UCHAR, 3));
    let shifted = b.binary(BinOp::Shl, left, amount);
    let whole_value = b.read(whole_place);
    let mut inside = b.call(body, Some(x_place), Callee::Direct(other), &[shifted, whole_value]);
    let text_place = b.var_place(text);
    let literal = b.address_as(text_place, TypeId::CHAR_POINTER);
    let half = b.expr(ExprKind::Const(Bits::new(0.5f64.to_bits() as u128)), TypeId::DOUBLE);
    inside = b.call(inside, None, Callee::Direct(sum), &[one, literal, half]);
    let sum_pointer = b.program.types.pointer_to(nondet_type);
    let target = b.expr(ExprKind::FuncAddr(nondet), sum_pointer);
    inside = b.call(inside, None, Callee::Indirect(target), &[]);
    inside = b.call(inside, None, Callee::Direct(malloc), &[size]);
    b.edge(inside, Op::Skip, at);

    let (value, zero) = (b.var(x), b.int(0));
    let difference = b.program.model().difference_type();
    let distance = b.expr(ExprKind::PtrDiff(moved, first), TypeId::int(difference));
    let distance = b.cast(TypeId::INT, distance);
    let negated = b.unary(UnOp::Neg, value);
    let holds = b.binary(BinOp::Ge, negated, distance);
    let done = b.then(after, Op::Assert { cond: holds, property: Property::Assertion });
    let done = b.then(done, Op::Assume { cond: holds, truth: true, role: AssumeRole::Assumption });
    let done = b.then(done, Op::Kill(x));
    let (ends, returns) = (b.loc(), b.loc());
    let lost = b.unary(UnOp::Not, cursor);
    b.branch(done, lost, AssumeRole::Branch(Branch::If), ends, returns);
    let reason = b.symbol("inline \"asm\"");
    let poisoned = b.then(ends, Op::Poison(reason));
    b.then(poisoned, Op::Halt(Some(zero)));
    b.edge_at(returns, Op::Return(Some(zero)), exit, Span::new(70, 79));
    b.end(start, exit);
    Sample { b, record, array, main, other, nondet, global, text, x, pointer, whole, items, other_param }
}

/// A random program that keeps all invariants.
pub fn random_program(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let model = random.pick(&[DataModel::Ilp32, DataModel::Lp64]);
    let mut b = Builder::with_model(model);
    let (_, record) = b.list_record("node");
    let mut types: Vec<TypeId> = (1..=19).map(TypeId).collect();
    for _ in 0..random.below(6) {
        let target = random.pick(&types);
        let ty = b.program.types.pointer_to(target);
        types.push(ty);
    }
    let array = b.program.types.array_of(random.pick(&types), Some(1 + random.below(9) as u64));
    for n in 0..1 + random.below(4) {
        let ty = random.pick(&types);
        let init = match random.below(3) {
            0 => Init::Zero,
            1 => Init::Unknown,
            _ => Init::Static(StaticInit { bytes: vec![random.next() as u8], relocations: Vec::new() }),
        };
        let var = b.global(&format!("g {n}"), ty, init);
        b.program.vars[var].span = random_span(&mut random);
    }
    b.global("grid", array, Init::Zero);
    b.global("list", record, Init::Zero);
    for n in 0..1 + random.below(3) {
        random_function(&mut b, &mut random, &types, n);
    }
    for expr in b.program.exprs.values_mut() {
        expr.span = random_span(&mut random);
    }
    b.program
}

fn random_span(random: &mut Random) -> Span {
    let lo = random.below(900) as u32;
    if random.below(3) == 0 { Span::NONE } else { Span::new(lo, lo + random.below(50) as u32) }
}

fn random_function(b: &mut Builder, random: &mut Random, types: &[TypeId], n: usize) {
    let params: Vec<(String, TypeId)> = (0..random.below(3)).map(|p| (format!("a{p}"), random.pick(types))).collect();
    let params: Vec<(&str, TypeId)> = params.iter().map(|(name, ty)| (name.as_str(), *ty)).collect();
    let result = random.pick(types);
    let function = b.begin(&format!("f{n}"), result, &params);
    for l in 0..1 + random.below(5) {
        let ty = random.pick(types);
        b.local(&format!("l{l}"), ty);
    }
    let count = 2 + random.below(8);
    let locations: Vec<LocId> = (0..count).map(|_| b.loc()).collect();
    let exit = b.loc();
    for from in &locations {
        let (to, no) = (random.pick(&locations), random.pick(&locations));
        let span = random_span(random);
        if random.below(4) == 0 {
            b.program.locations[*from].loop_head = Some(span);
        }
        match random.below(6) {
            0 => {
                let cond = random_expr(b, random, types, TypeId::INT, 5);
                b.branch(*from, cond, AssumeRole::Branch(Branch::Conditional), to, no);
            }
            1 => {
                let value = random_expr(b, random, types, result, 6);
                b.edge_at(*from, Op::Return(Some(value)), exit, span);
            }
            2 => {
                let wanted: Vec<TypeId> = params.iter().map(|(_, ty)| *ty).collect();
                let args: Vec<ExprId> = wanted.iter().map(|ty| random_expr(b, random, types, *ty, 4)).collect();
                let start = b.program.args.len() as u32;
                b.program.args.extend(&args);
                let args = (start, b.program.args.len() as u32);
                let dest = random_place(b, random, types, result, 3);
                b.edge_at(*from, Op::Call { dest, callee: Callee::Direct(function), args }, to, span);
            }
            _ => {
                let ty = random.pick(types);
                let Some(place) = random_place(b, random, types, ty, 3) else { continue };
                let value = random_expr(b, random, types, ty, 6);
                b.edge_at(*from, Op::Assign(place, value), to, span);
            }
        }
    }
    b.end(locations[0], exit);
}

/// A place of a type: a variable that is in reach, an element, or what a pointer points to.
fn random_place(b: &mut Builder, random: &mut Random, types: &[TypeId], ty: TypeId, depth: usize) -> Option<PlaceId> {
    let current = b.current;
    let reachable = |var: &Var| var.kind.function().is_none_or(|f| f == current);
    let candidates: Vec<VarId> =
        b.program.vars.iter().filter(|(_, var)| reachable(var) && var.ty == ty).map(|(id, _)| id).collect();
    match random.below(4) {
        0 if depth > 0 => {
            let pointer = b.program.types.pointer_to(ty);
            let pointer = random_expr(b, random, types, pointer, depth - 1);
            Some(b.place(PlaceKind::Deref(pointer), ty))
        }
        1 if depth > 0 => {
            let grid = b.program.vars.iter().find(|(_, var)| matches!(b.program.types.get(var.ty), Type::Array(..)));
            let grid = grid.map(|(id, _)| id)?;
            let grid = b.var_place(grid);
            let index = random_expr(b, random, types, TypeId::LONG, depth - 1);
            let element = b.index(grid, index);
            (b.program.places[element].ty == ty).then_some(element)
        }
        _ if candidates.is_empty() => None,
        _ => {
            let var = random.pick(&candidates);
            Some(b.var_place(var))
        }
    }
}

fn random_expr(b: &mut Builder, random: &mut Random, types: &[TypeId], ty: TypeId, depth: usize) -> ExprId {
    // Now and then an expression that exists already: programs share.
    if random.below(8) == 0 && b.program.exprs.len() > 1 {
        let old = ExprId::from_index(random.below(b.program.exprs.len()));
        let local = b.program.automaton(FuncId(0)).is_some() || b.program.functions.len() > 1;
        if b.ty(old) == ty && !local {
            return old;
        }
    }
    if depth == 0 {
        let bits = b.program.types.scalar_bits(ty);
        let value = (random.next() as u128) << 64 | random.next() as u128;
        return b.expr(ExprKind::Const(Bits::new(value & (u128::MAX >> (128 - bits)))), ty);
    }
    let smaller = depth - 1;
    match random.below(7) {
        0 | 1 => match random_place(b, random, types, ty, smaller) {
            Some(place) => b.read(place),
            None => random_expr(b, random, types, ty, 0),
        },
        2 => {
            let from = random.pick(types);
            let float_and_pointer = (b.program.types.is_pointer(ty) && from.float_kind().is_some())
                || (b.program.types.is_pointer(from) && ty.float_kind().is_some());
            let from = if float_and_pointer { TypeId::LONG } else { from };
            let operand = random_expr(b, random, types, from, smaller);
            b.cast(ty, operand)
        }
        3 if ty == TypeId::INT => {
            let of = random.pick(types);
            let (left, right) =
                (random_expr(b, random, types, of, smaller), random_expr(b, random, types, of, smaller));
            b.binary(random.pick(&[BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Ge]), left, right)
        }
        3 => random_expr(b, random, types, ty, 0),
        4 if b.program.types.is_pointer(ty) => {
            let target = b.program.types.pointee(ty).expect("a pointer");
            match random_place(b, random, types, target, smaller) {
                Some(place) => b.address_as(place, ty),
                None => random_expr(b, random, types, ty, 0),
            }
        }
        _ if b.program.types.is_pointer(ty) => {
            let pointer = random_expr(b, random, types, ty, smaller);
            let offset = random_expr(b, random, types, TypeId::LONG, smaller);
            b.ptr_add(pointer, offset)
        }
        5 => {
            let operand = random_expr(b, random, types, ty, smaller);
            let op = if ty.int_kind().is_some() { UnOp::BitNot } else { UnOp::Neg };
            b.unary(op, operand)
        }
        _ => {
            let (left, right) =
                (random_expr(b, random, types, ty, smaller), random_expr(b, random, types, ty, smaller));
            let ints = [BinOp::Add, BinOp::Sub, BinOp::Mul, BinOp::Rem, BinOp::And, BinOp::Xor, BinOp::Shl, BinOp::Shr];
            let op = if ty.int_kind().is_some() { random.pick(&ints) } else { random.pick(&ints[..3]) };
            b.binary(op, left, right)
        }
    }
}
