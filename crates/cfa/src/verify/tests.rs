//! Each invariant is broken once.

use super::verify;
use crate::testing::{Sample, sample};
use crate::types::{BitRange, Field, FunctionType, RecordKind};
use crate::*;
use base::Symbol;

/// The sample after `damage` has a violation whose text holds `expected`.
#[track_caller]
fn breaks<R>(expected: &str, damage: impl FnOnce(&mut Sample) -> R) {
    let mut s = sample();
    damage(&mut s);
    let violations = verify(&s.b.program).expect_err("a violation");
    let texts: Vec<String> = violations.iter().map(ToString::to_string).collect();
    assert!(texts.iter().any(|text| text.contains(expected)), "{texts:#?}");
}

/// The first edge whose operation is wanted.
fn edge(s: &Sample, wanted: impl Fn(&Op) -> bool) -> EdgeId {
    s.b.program.edges.iter().find(|(_, edge)| wanted(&edge.op)).expect("the sample has all operations").0
}

fn replace(s: &mut Sample, wanted: impl Fn(&Op) -> bool, op: Op) {
    let edge = edge(s, wanted);
    s.b.program.edges[edge].op = op;
}

fn skip(op: &Op) -> bool {
    *op == Op::Skip
}

fn automaton(s: &mut Sample) -> &mut Automaton {
    match &mut s.b.program.functions[s.main].body {
        Body::Defined(automaton) => automaton,
        _ => panic!("main is defined"),
    }
}

/// An expression of the kind, that no edge uses: all expressions are checked.
fn add(s: &mut Sample, kind: ExprKind, ty: TypeId) -> ExprId {
    s.b.expr(kind, ty)
}

#[test]
fn the_sample_is_fine() {
    verify(&sample().b.program).unwrap();
    verify(&Program::new(DataModel::Ilp32)).unwrap();
}

#[test]
fn ids_exist() {
    breaks("t999 does not exist", |s| s.b.program.vars[s.x].ty = TypeId(999));
    breaks("v999 does not exist", |s| s.b.program.functions[s.main].params.push(VarId(999)));
    breaks("v999 does not exist", |s| replace(s, skip, Op::Declare(VarId(999))));
    breaks("f999 does not exist", |s| s.b.program.vars[s.x].kind = VarKind::Local(FuncId(999)));
    breaks("x999 does not exist", |s| replace(s, skip, Op::Halt(Some(ExprId(999)))));
    breaks("p999 does not exist", |s| add(s, ExprKind::Read(PlaceId(999)), TypeId::INT));
    breaks("L999 does not exist", |s| automaton(s).exit = LocId(999));
    breaks("e999 does not exist", |s| s.b.program.locations[LocId(0)].out[1] = Some(EdgeId(999)));
    breaks("s999 does not exist", |s| automaton(s).scope = ScopeId(999));
    breaks("r9 does not exist", |s| s.b.program.types.intern(Type::Record(RecordId(9))));
    breaks("never interned", |s| replace(s, skip, Op::Poison(Symbol(9999))));
    breaks("of arguments passes the end", |s| {
        let callee = Callee::Direct(s.nondet);
        replace(s, skip, Op::Call { dest: None, callee, args: (0, 999) });
    });
    breaks("of its locations passes the end", |s| automaton(s).locations.end = 999);
    breaks("of its edges passes the end", |s| automaton(s).edges.end = 999);
    breaks("of its variables passes the end", |s| automaton(s).vars.end = 999);
}

#[test]
fn types_are_well_formed() {
    breaks("does not precede it", |s| {
        let next = TypeId(s.b.program.types.len() as u32);
        s.b.program.types.intern(Type::Pointer(next));
    });
    breaks("elements are void", |s| s.b.program.types.array_of(TypeId::VOID, Some(1)));
    breaks("the result is an array", |s| s.b.function_type(s.array, &[]));
    breaks("a parameter is void", |s| s.b.function_type(TypeId::INT, &[TypeId::VOID]));
    breaks("does not go with alignment", |s| s.b.program.types.records[RecordId(0)].size = 23);
    breaks("does not go with alignment", |s| s.b.program.types.records[RecordId(0)].align = 3);
    breaks("field 0 ends behind", |s| s.b.program.types.records[RecordId(0)].fields[0].offset = 22);
    breaks("field 0 has no size", |s| s.b.program.types.records[RecordId(0)].fields[0].ty = TypeId::VOID);
    let bits = |start, width| Some(BitRange { start, width });
    breaks("bit-field 2 does not fit", |s| s.b.program.types.records[RecordId(0)].fields[2].bits = bits(8, 1));
    breaks("bit-field 2 does not fit", |s| s.b.program.types.records[RecordId(0)].fields[2].bits = bits(0, 33));
    breaks("bit-field 2 does not fit", |s| s.b.program.types.records[RecordId(0)].fields[2].bits = bits(0, 0));
}

#[test]
fn a_flexible_array_may_end_a_record() {
    let mut s = sample();
    let flexible = s.b.program.types.array_of(TypeId::INT, None);
    let record = &mut s.b.program.types.records[RecordId(0)];
    record.fields.push(Field { name: None, ty: flexible, offset: 24, bits: None, is_const: false });
    verify(&s.b.program).unwrap();
}

#[test]
fn variables_are_well_formed() {
    breaks("has no size", |s| s.b.program.vars[s.global].ty = TypeId::VOID);
    breaks("has contents before the run", |s| s.b.program.vars[s.x].init = Init::Zero);
    breaks("lacks contents before the run", |s| s.b.program.vars[s.global].init = Init::None);
    breaks("5 initial bytes for an object of 4", |s| {
        s.b.program.vars[s.global].init = Init::Static(StaticInit { bytes: vec![0; 5], relocations: vec![] });
    });
    let table = |s: &mut Sample, offsets: [u64; 2]| {
        let table = s.b.program.vars.values_mut().find_map(|var| match &mut var.init {
            Init::Static(init) if !init.relocations.is_empty() => Some(init),
            _ => None,
        });
        let table = table.expect("the sample has relocations");
        for (relocation, offset) in table.relocations.iter_mut().zip(offsets) {
            relocation.offset = offset;
        }
    };
    breaks("out of order", |s| table(s, [16, 8]));
    breaks("overlaps", |s| table(s, [8, 12]));
    breaks("ends behind the object", |s| table(s, [8, 17]));
    breaks("not marked as address_taken", |s| s.b.program.vars[s.global].address_taken = false);
}

#[test]
fn scopes_are_well_formed() {
    breaks("exactly the first scope", |s| s.b.program.scopes[ScopeId(0)].parent = Some((ScopeId(0), 0)));
    breaks("exactly the first scope", |s| s.b.program.scopes[ScopeId(1)].parent = None);
    breaks("does not precede it", |s| s.b.program.scopes[ScopeId(1)].parent = Some((ScopeId(2), 0)));
    breaks("999 names of s0 are visible", |s| s.b.program.scopes[ScopeId(1)].parent = Some((ScopeId(0), 999)));
    breaks("L0: 999 names", |s| s.b.program.locations[LocId(0)].visible = 999);
    breaks("does not fit", |s| {
        let name = s.b.symbol("RED");
        s.b.program.scopes[ScopeId(0)].names.push((name, Binding::Constant(TypeId::BOOL, Bits::new(2))));
    });
}

#[test]
fn expressions_are_typed() {
    breaks("which is no scalar", |s| add(s, ExprKind::Const(Bits::ZERO), s.record));
    breaks("0x100 does not fit", |s| add(s, ExprKind::Const(Bits::new(256)), TypeId::UCHAR));
    breaks("its type is t9, not t7", |s| {
        let place = s.b.var_place(s.x);
        add(s, ExprKind::Read(place), TypeId::LONG);
    });
    breaks("neither scalar nor record", |s| {
        let place = s.b.var_place(s.items);
        s.b.read(place);
    });
    breaks("which is no pointer", |s| {
        let place = s.b.var_place(s.whole);
        add(s, ExprKind::AddrOf(place), TypeId::INT);
    });
    breaks("the address of a place", |s| {
        let place = s.b.var_place(s.whole);
        add(s, ExprKind::AddrOf(place), TypeId::CHAR_POINTER);
    });
    breaks("the address of a bit-field", |s| {
        let place = s.b.var_place(s.whole);
        let flags = s.b.field(place, 2);
        s.b.address(flags);
    });
    breaks("no pointer to a function", |s| add(s, ExprKind::FuncAddr(s.main), TypeId::VOID_POINTER));
    breaks("takes its address, but", |s| s.b.program.vars[s.whole].address_taken = false);
    breaks("takes its address, but", |s| {
        let place = s.b.var_place(s.items);
        let zero = s.b.int(0);
        let element = s.b.index(place, zero);
        s.b.address(element);
        s.b.program.vars[s.items].address_taken = false;
    });
}

#[test]
fn operators_are_typed() {
    let unary = |op: UnOp, operand: fn(&Sample) -> VarId, ty: TypeId| {
        move |s: &mut Sample| {
            let var = operand(s);
            let operand = s.b.var(var);
            add(s, ExprKind::Unary(op, operand), ty);
        }
    };
    breaks("Neg of", unary(UnOp::Neg, |s| s.pointer, TypeId::INT));
    breaks("BitNot of", unary(UnOp::BitNot, |s| s.pointer, TypeId::INT));
    breaks("Not of", unary(UnOp::Not, |s| s.whole, TypeId::INT));
    breaks("its type is t9, not t7", unary(UnOp::Neg, |s| s.x, TypeId::LONG));
    breaks("its type is t1, not t7", unary(UnOp::Not, |s| s.pointer, TypeId::BOOL));
    let binary = |op: BinOp, left: TypeId, right: TypeId, ty: TypeId| {
        move |s: &mut Sample| {
            let (left, right) = (s.b.constant(left, 1), s.b.constant(right, 1));
            add(s, ExprKind::Binary(op, left, right), ty);
        }
    };
    breaks("Add of t7 and t9", binary(BinOp::Add, TypeId::INT, TypeId::LONG, TypeId::LONG));
    breaks("Lt of t7 and t9", binary(BinOp::Lt, TypeId::INT, TypeId::LONG, TypeId::INT));
    breaks("Add of t18", binary(BinOp::Add, TypeId::VOID_POINTER, TypeId::VOID_POINTER, TypeId::VOID_POINTER));
    breaks("Rem of t16", binary(BinOp::Rem, TypeId::DOUBLE, TypeId::DOUBLE, TypeId::DOUBLE));
    breaks("Shl of t7 and t16", binary(BinOp::Shl, TypeId::INT, TypeId::DOUBLE, TypeId::INT));
    breaks("its type is t9, not t7", binary(BinOp::Shl, TypeId::INT, TypeId::LONG, TypeId::LONG));
    breaks("its type is t9, not t7", binary(BinOp::Eq, TypeId::LONG, TypeId::LONG, TypeId::LONG));
    breaks("a cast from", |s| {
        let whole = s.b.var(s.whole);
        add(s, ExprKind::Cast(whole), TypeId::INT);
    });
    breaks("a cast from", |s| {
        let x = s.b.var(s.x);
        add(s, ExprKind::Cast(x), TypeId::VOID);
    });
}

#[test]
fn pointer_arithmetic_is_typed() {
    let pointers = |s: &mut Sample| (s.b.var(s.pointer), s.b.int(1));
    breaks("is no pointer", |s| {
        let (_, one) = pointers(s);
        add(s, ExprKind::PtrAdd(one, one), TypeId::INT);
    });
    breaks("its type is t18", |s| {
        let (pointer, one) = pointers(s);
        add(s, ExprKind::PtrSub(pointer, one), TypeId::VOID_POINTER);
    });
    breaks("which is no integer", |s| {
        let (pointer, _) = pointers(s);
        let ty = s.b.ty(pointer);
        add(s, ExprKind::PtrAdd(pointer, pointer), ty);
    });
    breaks("no size to step by", |s| {
        let (_, ty) = s.b.program.types.new_record(RecordKind::Struct, None);
        let ty = s.b.program.types.pointer_to(ty);
        let (pointer, one) = (s.b.constant(ty, 0), s.b.int(1));
        s.b.ptr_add(pointer, one);
    });
    breaks("its type is t7, not t9", |s| {
        let (pointer, _) = pointers(s);
        add(s, ExprKind::PtrDiff(pointer, pointer), TypeId::INT);
    });
    breaks("the difference of", |s| {
        let (pointer, _) = pointers(s);
        let other = s.b.constant(TypeId::CHAR_POINTER, 0);
        add(s, ExprKind::PtrDiff(pointer, other), TypeId::LONG);
    });
}

#[test]
fn places_are_typed() {
    breaks("its type is t9, not t7", |s| s.b.place(PlaceKind::Var(s.x), TypeId::LONG));
    breaks("dereferences t7", |s| {
        let x = s.b.var(s.x);
        s.b.place(PlaceKind::Deref(x), TypeId::INT);
    });
    breaks("which is no record", |s| {
        let place = s.b.var_place(s.x);
        s.b.place(PlaceKind::Field(place, 0), TypeId::INT);
    });
    breaks("which is incomplete", |s| s.b.program.types.records[RecordId(0)].complete = false);
    breaks("field 3 of", |s| {
        let place = s.b.var_place(s.whole);
        s.b.place(PlaceKind::Field(place, 3), TypeId::INT);
    });
    breaks("its type is t9, not t7", |s| {
        let place = s.b.var_place(s.whole);
        s.b.place(PlaceKind::Field(place, 0), TypeId::LONG);
    });
    breaks("which is no array", |s| {
        let (place, zero) = (s.b.var_place(s.x), s.b.int(0));
        s.b.place(PlaceKind::Index(place, zero), TypeId::INT);
    });
    breaks("an index of type", |s| {
        let (place, pointer) = (s.b.var_place(s.items), s.b.var(s.pointer));
        s.b.place(PlaceKind::Index(place, pointer), TypeId::INT);
    });
    breaks("its type is t9, not t7", |s| {
        let (place, zero) = (s.b.var_place(s.items), s.b.int(0));
        s.b.place(PlaceKind::Index(place, zero), TypeId::LONG);
    });
}

#[test]
fn children_precede_parents() {
    breaks("does not precede it", |s| {
        let next = s.b.program.exprs.next_id();
        add(s, ExprKind::Unary(UnOp::Neg, next), TypeId::INT);
    });
    breaks("does not precede it", |s| {
        let next = s.b.program.places.next_id();
        s.b.place(PlaceKind::Field(next, 0), s.record);
    });
    breaks("an expression inside", |s| {
        let pointer_type = s.b.program.vars[s.pointer].ty;
        let next = s.b.program.exprs.next_id();
        let place = s.b.place(PlaceKind::Deref(next), pointer_type);
        s.b.read(place);
    });
}

#[test]
fn functions_are_well_formed() {
    breaks("is no function type", |s| s.b.program.functions[s.main].ty = TypeId::INT);
    breaks("shares L0 with", |s| automaton(s).locations.start = 0);
    breaks("shares e0 with", |s| automaton(s).edges.start = 0);
    breaks("holds v", |s| automaton(s).vars.start = sample().other_param.0);
    breaks("outside the range of its function's variables", |s| automaton(s).vars.start += 1);
    breaks("L2: lies outside the range", |s| automaton(s).locations.start += 1);
    breaks("e1: lies outside the range", |s| automaton(s).edges.start += 1);
    breaks("its entry L0 is not among", |s| automaton(s).entry = LocId(0));
    breaks("its exit L1 is not among", |s| automaton(s).exit = LocId(1));
    breaks("has an outgoing edge", |s| automaton(s).exit = automaton(s).entry);
    breaks("is not a parameter of it", |s| {
        let global = s.global;
        s.b.program.functions[s.main].params.push(global);
    });
    breaks("do not match its type", |s| s.b.program.functions[s.other].params.pop());
}

#[test]
fn locations_and_edges_agree() {
    breaks("leaves another location", |s| s.b.program.edges[EdgeId(1)].from = LocId(3));
    breaks("a second outgoing edge but no first", |s| s.b.program.locations[LocId(0)].out.swap(0, 1));
    breaks("stands 0 times", |s| s.b.program.locations[LocId(0)].out = [None, None]);
    breaks("stands 2 times", |s| s.b.program.locations[LocId(0)].out[1] = Some(EdgeId(0)));
    let branch = |op: &Op| matches!(op, Op::Assume { truth: true, role: AssumeRole::Branch(_), .. });
    let not_a_pair = "are not the true and the false branch";
    breaks(not_a_pair, |s| {
        let location = s.b.program.edges[edge(s, branch)].from;
        s.b.program.locations[location].out.swap(0, 1);
    });
    breaks(not_a_pair, |s| replace(s, branch, Op::Skip));
    breaks(not_a_pair, |s| {
        let edge = edge(s, branch);
        let other = s.b.int(1);
        if let Op::Assume { cond, .. } = &mut s.b.program.edges[edge].op {
            *cond = other;
        }
    });
    breaks("of another function", |s| s.b.program.edges[EdgeId(1)].to = LocId(0));
    breaks("without Return", |s| {
        let exit = automaton(s).exit;
        let skip = edge(s, skip);
        s.b.program.edges[skip].to = exit;
    });
    breaks("not to the exit", |s| s.b.program.edges[EdgeId(0)].to = LocId(0));
}

#[test]
fn operations_fit_their_parts() {
    breaks("no automatic variable of this function", |s| replace(s, skip, Op::Declare(s.global)));
    breaks("no automatic variable of this function", |s| replace(s, skip, Op::Kill(s.other_param)));
    breaks("no vla or temp", |s| {
        let one = s.b.int(1);
        replace(s, skip, Op::Alloca(s.pointer, one));
    });
    let alloca = |op: &Op| matches!(op, Op::Alloca(..));
    breaks("is no pointer", |s| {
        let Op::Alloca(var, _) = s.b.program.edges[edge(s, alloca)].op else { unreachable!() };
        s.b.program.vars[var].ty = TypeId::INT;
    });
    breaks("which is no integer", |s| {
        let Op::Alloca(var, _) = s.b.program.edges[edge(s, alloca)].op else { unreachable!() };
        let pointer = s.b.var(s.pointer);
        replace(s, alloca, Op::Alloca(var, pointer));
    });
    breaks("for a place of type", |s| {
        let (place, value) = (s.b.var_place(s.x), s.b.constant(TypeId::LONG, 1));
        replace(s, skip, Op::Assign(place, value));
    });
    breaks("writes to a constant", |s| {
        let (place, zero, value) = (s.b.var_place(s.text), s.b.int(0), s.b.constant(TypeId::CHAR, 1));
        let place = s.b.index(place, zero);
        replace(s, skip, Op::Assign(place, value));
    });
    breaks("assigns a value of type", |s| {
        let place = s.b.var_place(s.items);
        let value = s.b.read(place);
        replace(s, skip, Op::Assign(place, value));
    });
    breaks("an input of type", |s| {
        let place = s.b.var_place(s.whole);
        replace(s, skip, Op::Havoc(place, InputKind::External(s.nondet)));
    });
    let condition = "a condition of type";
    breaks(condition, |s| {
        let cond = s.b.var(s.whole);
        replace(s, skip, Op::Assume { cond, truth: true, role: AssumeRole::Assumption });
    });
    breaks(condition, |s| {
        let cond = s.b.var(s.whole);
        replace(s, skip, Op::Assert { cond, property: Property::Assertion });
    });
    breaks("which is no integer", |s| {
        let code = s.b.var(s.pointer);
        replace(s, skip, Op::Halt(Some(code)));
    });
    breaks("returns t9 where the result is t7", |s| {
        let value = s.b.constant(TypeId::LONG, 1);
        replace(s, |op| matches!(op, Op::Return(_)), Op::Return(Some(value)));
    });
}

#[test]
fn calls_fit_the_prototype() {
    let call = |s: &mut Sample, dest: Option<VarId>, callee: Callee, args: &[ExprId]| {
        let start = s.b.program.args.len() as u32;
        s.b.program.args.extend(args);
        let dest = dest.map(|dest| s.b.var_place(dest));
        replace(s, skip, Op::Call { dest, callee, args: (start, start + args.len() as u32) });
    };
    breaks("the callee is no function", |s| {
        let x = s.b.var(s.x);
        call(s, None, Callee::Indirect(x), &[]);
    });
    breaks("1 arguments for 0", |s| {
        let x = s.b.var(s.x);
        call(s, None, Callee::Direct(s.nondet), &[x]);
    });
    breaks("0 arguments for 1", |s| {
        let sum = s.b.program.function_named("sum").expect("variadic");
        call(s, None, Callee::Direct(sum), &[]);
    });
    breaks("has type t9, the parameter t7", |s| {
        let (long, whole) = (s.b.constant(TypeId::LONG, 1), s.b.var(s.whole));
        call(s, None, Callee::Direct(s.other), &[long, whole]);
    });
    breaks("is an argument of type", |s| {
        let place = s.b.var_place(s.items);
        let (one, items) = (s.b.int(1), s.b.read(place));
        let sum = s.b.program.function_named("sum").expect("variadic");
        call(s, None, Callee::Direct(sum), &[one, items]);
    });
    breaks("for a place of type", |s| call(s, Some(s.pointer), Callee::Direct(s.nondet), &[]));
    breaks("the result of a void function", |s| {
        let ty = s.b.function_type(TypeId::VOID, &[]);
        let function = s.b.declare("nothing", ty, Body::Undefined);
        call(s, Some(s.x), Callee::Direct(function), &[]);
    });
    let mut s = sample();
    let old = FunctionType { result: TypeId::INT, params: vec![], variadic: false, unprototyped: true };
    let old = s.b.program.types.intern(Type::Function(old));
    let old = s.b.declare("old", old, Body::Undefined);
    let x = s.b.var(s.x);
    call(&mut s, None, Callee::Direct(old), &[x, x]);
    verify(&s.b.program).unwrap();
}

#[test]
fn operations_mention_their_own_function_only() {
    breaks("mentions a variable of another function", |s| {
        let foreign = s.b.var(s.other_param);
        let one = s.b.int(1);
        let sum = s.b.binary(BinOp::Add, one, foreign);
        replace(s, skip, Op::Halt(Some(sum)));
    });
    breaks("mentions a variable of another function", |s| {
        let foreign = s.b.var(s.other_param);
        let (items, one) = (s.b.var_place(s.items), s.b.int(1));
        let place = s.b.index(items, foreign);
        replace(s, skip, Op::Assign(place, one));
    });
}

#[test]
fn what_is_wrong_everywhere_is_reported_a_hundred_times() {
    let mut s = sample();
    for _ in 0..1000 {
        add(&mut s, ExprKind::Const(Bits::ZERO), TypeId::VOID);
    }
    assert_eq!(verify(&s.b.program).unwrap_err().len(), 100);
}

#[test]
fn a_million_expressions_deep() {
    let mut s = sample();
    let mut value = s.b.var(s.x);
    for _ in 0..500_000 {
        value = s.b.unary(UnOp::Neg, value);
    }
    replace(&mut s, skip, Op::Halt(Some(value)));
    verify(&s.b.program).unwrap();
}
