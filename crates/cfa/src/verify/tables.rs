//! Types, records, variables and scopes.

use super::{Report, Sizes, Subject};
use crate::types::Record;
use crate::*;
use base::ids::Id;

/// Sizes of all types, without recursion: a type mentions only smaller ids, which is checked on the way.
pub(super) fn sizes(program: &Program, report: &mut Report) -> Vec<Option<u64>> {
    let types = &program.types;
    let mut sizes: Vec<Option<u64>> = Vec::with_capacity(types.len());
    for (id, ty) in types.iter() {
        let mut precedes = |other: TypeId| {
            let earlier = other < id;
            report.require(earlier, Subject::Type(id), || format!("mentions {other}, which does not precede it"));
            earlier
        };
        let size = match ty {
            Type::Array(element, length) => {
                let size = if precedes(*element) { sizes[element.index()] } else { None };
                size.zip(*length).and_then(|(size, length)| size.checked_mul(length))
            }
            Type::Pointer(target) => {
                precedes(*target);
                types.size_of(id)
            }
            Type::Function(function) => {
                precedes(function.result);
                for param in &function.params {
                    precedes(*param);
                }
                None
            }
            _ => types.size_of(id),
        };
        sizes.push(size);
    }
    sizes
}

pub(super) fn check(program: &Program, sizes: &Sizes, report: &mut Report) {
    check_types(program, report);
    for (id, record) in program.types.records.iter().filter(|(_, record)| record.complete) {
        check_record(program, sizes, id, record, report);
    }
    for (id, var) in program.vars.iter() {
        check_var(program, sizes, id, var, report);
    }
    check_scopes(program, report);
}

fn check_types(program: &Program, report: &mut Report) {
    let types = &program.types;
    for (id, ty) in types.iter() {
        let mut require = |holds, message: &str| report.require(holds, Subject::Type(id), || message.to_string());
        let is_function = |id: TypeId| matches!(types.get(id), Type::Function(_));
        let is_array = |id: TypeId| matches!(types.get(id), Type::Array(..));
        match ty {
            Type::Array(element, _) => {
                require(*element != TypeId::VOID && !is_function(*element), "elements are void or functions");
            }
            Type::Function(function) => {
                let result = function.result;
                require(!is_array(result) && !is_function(result), "the result is an array or a function");
                for param in &function.params {
                    let object = *param != TypeId::VOID && !is_array(*param) && !is_function(*param);
                    require(object, "a parameter is void, an array or a function");
                }
            }
            _ => {}
        }
    }
}

fn check_record(program: &Program, sizes: &Sizes, id: RecordId, record: &Record, report: &mut Report) {
    let subject = Subject::Record(id);
    let aligned = record.align.is_power_of_two() && record.size.is_multiple_of(record.align);
    report.require(aligned, subject, || format!("size {} does not go with alignment {}", record.size, record.align));
    for (number, field) in record.fields.iter().enumerate() {
        let flexible = matches!(program.types.get(field.ty), Type::Array(_, None));
        let size = if flexible { Some(0) } else { sizes[field.ty.index()] };
        report.require(size.is_some(), subject, || format!("field {number} has no size"));
        let bytes = match field.bits {
            None => size.unwrap_or(0),
            Some(bits) => {
                let widest = field.ty.int_kind().map_or(0, |kind| kind.bits(program.model()));
                let fits = bits.start < 8 && (1..=widest).contains(&u32::from(bits.width));
                report.require(fits, subject, || format!("bit-field {number} does not fit {}", field.ty));
                bits.bytes()
            }
        };
        let inside = field.offset.checked_add(bytes).is_some_and(|end| end <= record.size);
        report.require(inside, subject, || format!("field {number} ends behind the record"));
    }
}

fn check_var(program: &Program, sizes: &Sizes, id: VarId, var: &Var, report: &mut Report) {
    let subject = Subject::Var(id);
    let size = sizes[var.ty.index()];
    report.require(size.is_some() || var.init == Init::Unknown, subject, || format!("its type {} has no size", var.ty));
    // Names of contracts are no objects.
    let automatic = var.kind.function().is_some() || matches!(var.kind, VarKind::Result(_) | VarKind::Old(_));
    report.require(automatic == (var.init == Init::None), subject, || {
        let kind = if automatic { "an automatic variable has" } else { "an object of static lifetime lacks" };
        format!("{kind} contents before the run")
    });
    let Init::Static(init) = &var.init else { return };
    let size = size.unwrap_or(0);
    report.require(init.bytes.len() as u64 <= size, subject, || {
        format!("{} initial bytes for an object of {size}", init.bytes.len())
    });
    let mut free = 0;
    for relocation in &init.relocations {
        let offset = relocation.offset;
        let end = offset.saturating_add(program.model().pointer_bytes());
        report.require(offset >= free, subject, || {
            format!("the relocation at {offset} is out of order or overlaps the one before")
        });
        report.require(end <= size, subject, || format!("the relocation at {offset} ends behind the object"));
        free = end;
        if let RelocationTarget::Var(target) = relocation.target {
            report.require(program.vars[target].address_taken, Subject::Var(target), || {
                format!("{id} holds its address, but it is not marked as address_taken")
            });
        }
    }
}

fn check_scopes(program: &Program, report: &mut Report) {
    let scopes = &program.scopes;
    for (id, scope) in scopes.iter() {
        let subject = Subject::Scope(id);
        report.require(scope.parent.is_none() == (id.index() == 0), subject, || {
            "exactly the first scope must have no parent".to_string()
        });
        if let Some((parent, visible)) = scope.parent {
            report.require(parent < id, subject, || format!("its parent {parent} does not precede it"));
            let names = scopes[parent].names.len();
            report.require(visible as usize <= names, subject, || {
                format!("{visible} names of {parent} are visible, which has {names}")
            });
        }
        for (name, binding) in &scope.names {
            let Binding::Constant(ty, bits) = binding else { continue };
            let fits = ty.int_kind().is_some_and(|kind| super::expressions::fits(*bits, kind.bits(program.model())));
            report.require(fits, subject, || format!("the constant {} does not fit {ty}", program.name(*name)));
        }
    }
    for (id, location) in program.locations.iter() {
        let names = scopes[location.scope].names.len();
        report.require(location.visible as usize <= names, Subject::Location(id), || {
            format!("{} names of {} are visible, which has {names}", location.visible, location.scope)
        });
    }
}
