//! The scalars that are followed: variables, members of structures, and, one for all elements, arrays of static lifetime. And which of them a
//! place may mean.
//!
//! A variable in memory of a recursive function is not followed, since one name then stands for the objects of several activations. Nor are
//! unions, bit-fields, allocations and integers of 128 bits.

use crate::domains::Shape;
use cfa::analysis::offsets::Offsets;
use cfa::analysis::points_to::{Object, PointsTo, access_size, in_memory};
use cfa::types::RecordKind;
use cfa::{FloatKind, FuncId, Op, PlaceId, PlaceKind, Program, Type, TypeId, VarId, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};

pub type CellId = u32;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Int(Shape),
    Float(FloatKind),
}

impl Kind {
    pub fn of(program: &Program, ty: TypeId) -> Option<Kind> {
        if !program.types.is_scalar(ty) {
            return None;
        }
        if let Some(kind) = ty.float_kind() {
            return Some(Kind::Float(kind));
        }
        let width = program.types.scalar_bits(ty);
        (width <= 64).then(|| Kind::Int(Shape { width, signed: program.types.is_signed(ty) }))
    }
}

#[derive(Clone, Debug)]
pub struct Cell {
    /// `None`: the result of a function.
    pub var: Option<VarId>,
    pub offsets: Offsets,
    pub size: u64,
    pub ty: TypeId,
    pub kind: Kind,
    /// It has an address, so that pointers may lead to it.
    pub in_memory: bool,
    /// It stands for several objects: a new value is added to the old ones.
    pub several: bool,
    /// The function whose variable it is.
    pub owner: Option<FuncId>,
    /// States in which it has different constant values are kept apart: results, and what lowering made of `&&`, `||` and `?:`.
    pub splits: bool,
    /// A parameter in a register that its function never writes: it has the value of the argument until the function returns.
    pub is_argument: bool,
}

/// What an access to a place may touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Access {
    /// One cell, all of it.
    Exactly(CellId),
    /// Any of these cells; `partly` are touched in part or in another form.
    Some { whole: Vec<CellId>, partly: Vec<CellId>, elsewhere: bool },
    /// Any cell in memory.
    Anywhere,
}

pub struct Cells {
    pub all: Vec<Cell>,
    pub of_var: FxHashMap<VarId, Vec<CellId>>,
    /// The cell that holds the result of a function until its caller takes it.
    pub results: FxHashMap<FuncId, CellId>,
}

/// Cells of one variable; larger ones are not followed.
const MAX_CELLS: usize = 64;

impl Cells {
    pub fn of(program: &Program, reached: &[FuncId], recursive: &FxHashSet<FuncId>) -> Cells {
        let mut cells = Cells { all: Vec::new(), of_var: FxHashMap::default(), results: FxHashMap::default() };
        let written = written_variables(program);
        for (id, var) in program.vars.iter() {
            let owner = var.kind.function();
            let memory = in_memory(program, Object::Var(id));
            let unwanted =
                owner.is_some_and(|owner| !reached.contains(&owner) || (memory && recursive.contains(&owner)));
            if unwanted {
                continue;
            }
            let mut leaves = Vec::new();
            if !scalars(program, var.ty, Offsets::ZERO, owner.is_none(), &mut leaves) {
                continue;
            }
            let overlap =
                |a: &(Offsets, TypeId, u64)| leaves.iter().filter(|b| a.0.overlaps(a.2, b.0, b.2)).count() > 1;
            for leaf in leaves.iter().filter(|leaf| !overlap(leaf)) {
                let Some(kind) = Kind::of(program, leaf.1) else { continue };
                let cell = cells.all.len() as CellId;
                cells.all.push(Cell {
                    var: Some(id),
                    offsets: leaf.0,
                    size: leaf.2,
                    ty: leaf.1,
                    kind,
                    in_memory: memory,
                    several: leaf.0.stride != 0,
                    owner,
                    splits: matches!(var.kind, VarKind::Temp(_)) && !memory,
                    is_argument: matches!(var.kind, VarKind::Param(_)) && !memory && !written.contains(&id),
                });
                cells.of_var.entry(id).or_default().push(cell);
            }
        }
        for function in reached {
            if let Type::Function(ty) = program.types.get(program.functions[*function].ty)
                && let Some(kind) = Kind::of(program, ty.result)
            {
                cells.results.insert(*function, cells.all.len() as CellId);
                cells.all.push(Cell {
                    var: None,
                    offsets: Offsets::ZERO,
                    size: 0,
                    ty: ty.result,
                    kind,
                    in_memory: false,
                    several: false,
                    owner: Some(*function),
                    splits: true,
                    is_argument: false,
                });
            }
        }
        cells
    }

    pub fn of_variable(&self, var: VarId) -> &[CellId] {
        self.of_var.get(&var).map_or(&[], Vec::as_slice)
    }

    /// What reading or writing a place may touch.
    pub fn access(&self, points_to: &PointsTo<'_>, place: PlaceId) -> Access {
        let program = points_to.program();
        let ty = program.places[place].ty;
        let size = access_size(program, place);
        let bit_field = is_bit_field(program, place);
        let targets = points_to.place(place);
        if targets.anything {
            return Access::Anywhere;
        }
        let (mut whole, mut partly, mut elsewhere) = (Vec::new(), Vec::new(), false);
        for target in &targets.known {
            let Object::Var(var) = target.object else {
                elsewhere = true;
                continue;
            };
            let mut hit = false;
            for cell in self.of_variable(var) {
                let data = &self.all[*cell as usize];
                if !data.offsets.overlaps(data.size, target.offsets, size) {
                    continue;
                }
                hit = true;
                let same = data.size == size && same_form(program, data.ty, ty) && !bit_field;
                if same && data.offsets.includes(target.offsets) {
                    whole.push(*cell);
                } else if same && data.offsets.aligned(target.offsets, size) {
                    whole.push(*cell);
                    elsewhere = true;
                } else {
                    partly.push(*cell);
                }
            }
            elsewhere |= !hit;
        }
        whole.sort_unstable();
        whole.dedup();
        partly.sort_unstable();
        partly.dedup();
        whole.retain(|cell| partly.binary_search(cell).is_err());
        match (&whole[..], &partly[..], elsewhere) {
            ([cell], [], false) if targets.known.len() == 1 && !self.all[*cell as usize].several => {
                Access::Exactly(*cell)
            }
            _ => Access::Some { whole, partly, elsewhere },
        }
    }
}

/// Variables that some edge gives a value by name.
fn written_variables(program: &Program) -> FxHashSet<VarId> {
    let by_name = |place: PlaceId| match program.places[place].kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    };
    let written = program.edges.values().filter_map(|edge| match edge.op {
        Op::Assign(place, _) | Op::Havoc(place, _) | Op::Call { dest: Some(place), .. } => by_name(place),
        Op::Declare(var) | Op::Kill(var) | Op::Alloca(var, _) => Some(var),
        _ => None,
    });
    written.collect()
}

fn is_bit_field(program: &Program, place: PlaceId) -> bool {
    match program.places[place].kind {
        PlaceKind::Field(base, number) => match *program.types.get(program.places[base].ty) {
            Type::Record(record) => program.types.records[record].fields[number as usize].bits.is_some(),
            _ => false,
        },
        _ => false,
    }
}

/// Whether two types of one size hold the same bits for the same value, up to the sign.
fn same_form(program: &Program, a: TypeId, b: TypeId) -> bool {
    match (Kind::of(program, a), Kind::of(program, b)) {
        (Some(Kind::Int(a)), Some(Kind::Int(b))) => a.width == b.width,
        (Some(Kind::Float(a)), Some(Kind::Float(b))) => a == b,
        _ => false,
    }
}

/// The scalars of a type; `false` if there are too many. Of arrays only if wanted, one for all elements.
fn scalars(program: &Program, ty: TypeId, at: Offsets, arrays: bool, out: &mut Vec<(Offsets, TypeId, u64)>) -> bool {
    if out.len() > MAX_CELLS {
        return false;
    }
    match program.types.get(ty) {
        Type::Int(_) | Type::Float(_) | Type::Pointer(_) => {
            out.push((at, ty, program.types.size_of(ty).unwrap_or(0)));
            true
        }
        Type::Record(record) => {
            let record = &program.types.records[*record];
            if record.kind == RecordKind::Union {
                return true;
            }
            record
                .fields
                .iter()
                .filter(|field| field.bits.is_none())
                .all(|field| scalars(program, field.ty, at.plus(field.offset as i128), arrays, out))
        }
        Type::Array(element, Some(_)) if arrays => {
            let size = program.types.size_of(*element).unwrap_or(1);
            scalars(program, *element, at.steps(size), arrays, out)
        }
        Type::Array(..) | Type::Void | Type::Function(_) => true,
    }
}
