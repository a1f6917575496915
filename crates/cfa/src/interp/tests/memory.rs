//! Objects, lifetimes, bounds and every memory fault.

use super::*;
use crate::types::{BitRange, Field, RecordKind};
use crate::{BinOp, DataModel, Init};

const MODELS: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];

/// An `int *p = malloc(8)` in both data models, then what `body` does with it.
fn with_allocation(body: impl Fn(&mut Builder, LocId, VarId, FuncId) -> LocId) -> Vec<(Outcome, Outcome)> {
    MODELS
        .map(|model| {
            let mut b = Builder::with_model(model);
            let size_type = TypeId::int(model.size_type());
            let malloc = library(&mut b, "malloc", TypeId::VOID_POINTER, &[size_type], false);
            let free = library(&mut b, "free", TypeId::VOID, &[TypeId::VOID_POINTER], false);
            let pointer = b.program.types.pointer_to(TypeId::INT);
            let main = main_of(&mut b, |b, start| {
                let (raw, p) = (b.temp(TypeId::VOID_POINTER), b.local("p", pointer));
                let (raw_place, p_place, eight) = (b.var_place(raw), b.var_place(p), b.constant(size_type, 8));
                let at = call(b, start, Some(raw_place), malloc, &[eight]);
                let value = b.var(raw);
                let value = b.cast(pointer, value);
                let at = assign(b, at, p_place, value);
                body(b, at, p, free)
            });
            let asked = Config { properties: PropertySet::of(&Property::ALL), ..Config::default() };
            (outcome(&b, main), run_with(&b, main, &asked).outcome)
        })
        .to_vec()
}

fn store(b: &mut Builder, at: LocId, p: VarId, index: i32) -> LocId {
    let (pointer, index, value) = (b.var(p), b.int(index), b.int(42));
    let pointer = b.ptr_add(pointer, index);
    let place = b.deref(pointer);
    assign(b, at, place, value)
}

fn release(b: &mut Builder, at: LocId, p: VarId, free: FuncId, offset: i32) -> LocId {
    let (pointer, offset) = (b.var(p), b.int(offset));
    let pointer = b.ptr_add(pointer, offset);
    let pointer = b.cast(TypeId::VOID_POINTER, pointer);
    call(b, at, None, free, &[pointer])
}

fn faults(got: Vec<(Outcome, Outcome)>, fault: Fault) {
    let violation = Outcome::Violation { property: fault.property().unwrap(), fault: Some(fault) };
    assert_eq!(got, vec![(Outcome::Undefined(fault), violation); 2]);
}

#[test]
fn heap_accesses() {
    let cleanup = Outcome::Violation { property: Property::ValidMemcleanup, fault: None };
    let lost = Outcome::Violation { property: Property::ValidMemtrack, fault: None };
    let done = Outcome::Finished(0);
    let fine = |b: &mut Builder, at, p, free| {
        let at = store(b, at, p, 0);
        let at = store(b, at, p, 1);
        release(b, at, p, free, 0)
    };
    assert_eq!(with_allocation(fine), [(done, done); 2]);
    assert_eq!(with_allocation(|b, at, p, _| store(b, at, p, 1)), [(done, lost); 2]);
    let kept = |b: &mut Builder, at, p, _| {
        let pointer = b.program.vars[p].ty;
        let global = b.global("keeper", pointer, Init::Zero);
        let (place, value) = (b.var_place(global), b.var(p));
        assign(b, at, place, value)
    };
    assert_eq!(with_allocation(kept), [(done, cleanup); 2]);
    faults(with_allocation(|b, at, p, _| store(b, at, p, 2)), Fault::OutOfBounds);
    faults(with_allocation(|b, at, p, _| store(b, at, p, -1)), Fault::OutOfBounds);
    // Far away is still the same region of 64-bit addresses, but leaves the pages of 32-bit ones.
    let far = with_allocation(|b, at, p, _| store(b, at, p, 1 << 29));
    let far: Vec<Outcome> = far.into_iter().map(|(outcome, _)| outcome).collect();
    assert_eq!(far, [Outcome::Undefined(Fault::OutOfBounds), Outcome::Undefined(Fault::WildPointer)]);
    let after_free = |b: &mut Builder, at, p, free| {
        let at = release(b, at, p, free, 0);
        store(b, at, p, 0)
    };
    faults(with_allocation(after_free), Fault::Dangling);
    let twice = |b: &mut Builder, at, p, free| {
        let at = release(b, at, p, free, 0);
        release(b, at, p, free, 0)
    };
    faults(with_allocation(twice), Fault::DoubleFree);
    faults(with_allocation(|b, at, p, free| release(b, at, p, free, 1)), Fault::InvalidFree);
    let null = |b: &mut Builder, at, p, _| {
        let pointer = b.program.vars[p].ty;
        let (place, zero) = (b.var_place(p), b.constant(pointer, 0));
        let at = assign(b, at, place, zero);
        store(b, at, p, 1)
    };
    faults(with_allocation(null), Fault::NullDereference);
}

#[test]
fn memory_is_limited() {
    let mut b = Builder::new();
    let malloc = library(&mut b, "malloc", TypeId::VOID_POINTER, &[TypeId::ULONG], false);
    let main = main_of(&mut b, |b, start| {
        let size = b.constant(TypeId::ULONG, 1 << 30);
        call(b, start, None, malloc, &[size])
    });
    let config = Config { max_memory: 1 << 20, ..Config::default() };
    assert_eq!(run_with(&b, main, &config).outcome, Outcome::Limit(Limit::Memory));
}

#[test]
fn indices_are_checked_against_their_own_array() {
    for (i, j, expected) in [
        (1, 4, Outcome::Finished(0)),
        (0, 7, Outcome::Undefined(Fault::OutOfBounds)),
        (2, 0, Outcome::Undefined(Fault::OutOfBounds)),
        (0, -1, Outcome::Undefined(Fault::OutOfBounds)),
    ] {
        for constant in [true, false] {
            let mut b = Builder::new();
            let row = b.program.types.array_of(TypeId::INT, Some(5));
            let matrix = b.program.types.array_of(row, Some(2));
            let a = b.global("a", matrix, Init::Zero);
            let main = main_of(&mut b, |b, start| {
                let (x, y) = (b.local("x", TypeId::INT), b.local("y", TypeId::INT));
                let (mut row, mut column) = (b.int(i), b.int(j));
                let mut at = start;
                if !constant {
                    let (x_place, y_place) = (b.var_place(x), b.var_place(y));
                    at = assign(b, at, x_place, row);
                    at = assign(b, at, y_place, column);
                    (row, column) = (b.var(x), b.var(y));
                }
                let place = b.var_place(a);
                let place = b.index(place, row);
                let place = b.index(place, column);
                let value = b.int(1);
                let end = assign(b, at, place, value);
                // Only the address: never a fault.
                let address = b.address(place);
                let pointer = b.ty(address);
                let p = b.local("p", pointer);
                let p = b.var_place(p);
                assign(b, end, p, address)
            });
            assert_eq!(outcome(&b, main), expected, "a[{i}][{j}]");
        }
    }
}

#[test]
fn locals_end_with_their_block_and_function() {
    // int *p; { int x; p = &x; } *p = 1;
    let mut b = Builder::new();
    let pointer = b.program.types.pointer_to(TypeId::INT);
    let main = main_of(&mut b, |b, start| {
        let (x, p) = (b.local("x", TypeId::INT), b.local("p", pointer));
        let at = b.then(start, Op::Declare(x));
        let (x_place, p_place, one) = (b.var_place(x), b.var_place(p), b.int(1));
        let address = b.address(x_place);
        let at = assign(b, at, p_place, address);
        let value = b.var(p);
        let target = b.deref(value);
        let at = assign(b, at, target, one);
        let at = b.then(at, Op::Kill(x));
        assign(b, at, target, one)
    });
    assert_eq!(outcome(&b, main), Outcome::Undefined(Fault::Dangling));

    // int *leak(void) { int x; return &x; }
    let mut b = Builder::new();
    let pointer = b.program.types.pointer_to(TypeId::INT);
    let leak = b.begin("leak", pointer, &[]);
    let (start, exit) = (b.loc(), b.loc());
    let x = b.local("x", TypeId::INT);
    let at = b.then(start, Op::Declare(x));
    let x_place = b.var_place(x);
    let address = b.address(x_place);
    b.edge(at, Op::Return(Some(address)), exit);
    b.end(start, exit);
    let main = main_of(&mut b, |b, start| {
        let p = b.local("p", pointer);
        let p_place = b.var_place(p);
        let at = call(b, start, Some(p_place), leak, &[]);
        store(b, at, p, 0)
    });
    assert_eq!(outcome(&b, main), Outcome::Undefined(Fault::Dangling));
}

#[test]
fn string_literals_cannot_be_written() {
    let mut b = Builder::new();
    let main = main_of(&mut b, |b, start| {
        let p = b.local("p", TypeId::CHAR_POINTER);
        let (p_place, address) = (b.var_place(p), text(b, "hi"));
        let at = assign(b, start, p_place, address);
        let (pointer, value) = (b.var(p), b.constant(TypeId::CHAR, 'x' as i128));
        let place = b.deref(pointer);
        assign(b, at, place, value)
    });
    assert_eq!(outcome(&b, main), Outcome::Undefined(Fault::ReadOnly));
}

/// `union { unsigned bits : …; unsigned char bytes[8]; unsigned long word; }` built from ranges of bits.
fn bit_record(b: &mut Builder, ranges: &[(u64, u8, u8, TypeId)]) -> TypeId {
    let tag = b.symbol("fields");
    let names: Vec<_> = (0..=ranges.len()).map(|index| Some(b.symbol(&format!("f{index}")))).collect();
    let (record, ty) = b.program.types.new_record(RecordKind::Union, Some(tag));
    let mut fields = vec![Field { name: names[0], ty: TypeId::ULONG, offset: 0, bits: None, is_const: false }];
    for (index, (offset, start, width, ty)) in ranges.iter().enumerate() {
        let bits = Some(BitRange { start: *start, width: *width });
        fields.push(Field { name: names[index + 1], ty: *ty, offset: *offset, bits, is_const: false });
    }
    let data = &mut b.program.types.records[record];
    (data.fields, data.size, data.align, data.complete) = (fields, 8, 8, true);
    ty
}

#[test]
fn bit_fields_share_bytes_with_the_union() {
    let mut b = Builder::new();
    let ranges = [(0, 3, 5, TypeId::UINT), (1, 1, 12, TypeId::INT), (2, 7, 33, TypeId::LONG)];
    let record = bit_record(&mut b, &ranges);
    let u = b.global("u", record, Init::Zero);
    let main = main_of(&mut b, |b, start| {
        let u = b.var_place(u);
        let word = b.field(u, 0);
        let all = b.constant(TypeId::ULONG, -1);
        let mut at = assign(b, start, word, all);
        let mut expected = u64::MAX;
        for (index, (offset, low, width, ty)) in ranges.iter().enumerate() {
            let field = b.field(u, index as u32 + 1);
            for value in [0i64, 5, -3] {
                let mask = ((1u64 << width) - 1) << (offset * 8 + *low as u64);
                expected = (expected & !mask) | ((value as u64) << (offset * 8 + *low as u64) & mask);
                let constant = b.constant(*ty, value as i128);
                at = assign(b, at, field, constant);
                let (got, want) = (b.read(word), b.constant(TypeId::ULONG, expected as i128));
                let cond = b.binary(BinOp::Eq, got, want);
                at = expect(b, at, cond);
                let signed = b.program.types.is_signed(*ty);
                let kept = if signed { value } else { (value as u64 & ((1 << width) - 1)) as i64 };
                let (got, want) = (b.read(field), b.constant(*ty, kept as i128));
                let cond = b.binary(BinOp::Eq, got, want);
                at = expect(b, at, cond);
            }
        }
        at
    });
    assert_eq!(outcome(&b, main), Outcome::Finished(0));
}

#[test]
fn records_are_copied_passed_and_returned_by_value() {
    let mut b = Builder::new();
    let (_, record) = b.list_record("node");
    let bump = b.begin("bump", record, &[("s", record)]);
    let s = b.program.functions[bump].params[0];
    let (start, exit) = (b.loc(), b.loc());
    let s_place = b.var_place(s);
    let x = b.field(s_place, 0);
    let (value, one) = (b.read(x), b.int(1));
    let more = b.binary(BinOp::Add, value, one);
    let at = assign(&mut b, start, x, more);
    let whole = b.read(s_place);
    b.edge(at, Op::Return(Some(whole)), exit);
    b.end(start, exit);
    let main = main_of(&mut b, |b, start| {
        let (p, q) = (b.local("p", record), b.local("q", record));
        let mut at = b.then(start, Op::Declare(p));
        at = b.then(at, Op::Declare(q));
        let (p, q) = (b.var_place(p), b.var_place(q));
        let (px, qx, pf, qf) = (b.field(p, 0), b.field(q, 0), b.field(p, 2), b.field(q, 2));
        let (ten, flags) = (b.int(10), b.constant(TypeId::UINT, 21));
        at = assign(b, at, px, ten);
        at = assign(b, at, pf, flags);
        let whole = b.read(p);
        at = call(b, at, Some(q), bump, &[whole]);
        let eleven = b.int(11);
        for (place, want) in [(px, ten), (qx, eleven), (qf, flags)] {
            let got = b.read(place);
            let cond = b.binary(BinOp::Eq, got, want);
            at = expect(b, at, cond);
        }
        let whole = b.read(q);
        at = assign(b, at, p, whole);
        let got = b.read(px);
        let cond = b.binary(BinOp::Eq, got, eleven);
        expect(b, at, cond)
    });
    assert_eq!(outcome(&b, main), Outcome::Finished(0));
}

#[test]
fn uninitialized_reads_are_found_when_asked_for() {
    let config = Config {
        uninitialized: Uninitialized::Error,
        properties: PropertySet::of(&[Property::Initialized]),
        ..Config::default()
    };
    let violation = Outcome::Violation { property: Property::Initialized, fault: Some(Fault::Uninitialized) };
    for initialize in [false, true] {
        let mut b = Builder::new();
        let (_, record) = b.list_record("node");
        let main = main_of(&mut b, |b, start| {
            let (x, p, q) = (b.local("x", TypeId::INT), b.local("p", record), b.local("q", record));
            let mut at = start;
            for var in [x, p, q] {
                at = b.then(at, Op::Declare(var));
            }
            let (p, q) = (b.var_place(p), b.var_place(q));
            let (x, px, qx, one) = (b.var_place(x), b.field(p, 0), b.field(q, 0), b.int(1));
            if initialize {
                at = assign(b, at, px, one);
            }
            // Copying is no read; what was not written stays so.
            let whole = b.read(p);
            at = assign(b, at, q, whole);
            let value = b.read(qx);
            assign(b, at, x, value)
        });
        let run = run_with(&b, main, &config);
        assert_eq!(run.outcome, if initialize { Outcome::Finished(0) } else { violation });
        assert_eq!(outcome(&b, main), Outcome::Finished(0));
    }
}

#[test]
fn variable_length_arrays_and_alloca() {
    let mut b = Builder::new();
    let pointer = b.program.types.pointer_to(TypeId::INT);
    let main = main_of(&mut b, |b, start| {
        let vla = b.vla("a", pointer);
        let size = b.constant(TypeId::ULONG, 8);
        let at = b.then(start, Op::Alloca(vla, size));
        let at = store(b, at, vla, 1);
        let at = b.then(at, Op::Kill(vla));
        store(b, at, vla, 1)
    });
    let run = run_with(&b, main, &Config::default());
    assert_eq!(run.outcome, Outcome::Undefined(Fault::Dangling));
    assert_eq!(run.steps, 4);
}
