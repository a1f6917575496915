//! A function that calls another with objects for its pointers, as text: their contents, and all other arguments, are inputs about which conditions may be
//! assumed.

use crate::{EntryObjects, Length};
use cfa::types::RecordKind;
use cfa::{FuncId, Program, Type, TypeId};

/// More objects than these are not written down.
const MAX_OBJECTS: usize = 1000;

/// The text of the function `caller`, to be compiled behind the program.
pub fn call_with_objects(
    program: &Program,
    function: FuncId,
    wanted: &EntryObjects,
    caller: &str,
) -> Result<String, String> {
    let name = program.function_name(function);
    let params = &program.functions[function].params;
    let names: Vec<&str> = params.iter().map(|param| program.name(program.vars[*param].name)).collect();
    for (array, length) in &wanted.lengths {
        check_length(program, function, array, length)?;
    }
    let marker = format!("# 1 \"arrays for {name}\"\n");
    let before = format!("\n{marker}");
    let mut text = Text { program, wanted, before, marker, body: String::new(), objects: 0 };
    // Numbers first: lengths may be among them.
    for (index, param) in params.iter().enumerate() {
        let ty = program.vars[*param].ty;
        if program.types.is_scalar(ty) && !text.has_object(names[index], ty) {
            text.input(names[index], ty, &format!("nondet_argument_{index}"));
        }
    }
    let is_array = |name: &str| {
        let param = names.iter().position(|other| *other == name);
        param.is_some_and(|index| text.has_object(name, program.vars[params[index]].ty))
    };
    // What bounds a length has to hold before there are arrays of it.
    let (about_arrays, about_numbers): (Vec<&String>, Vec<&String>) =
        wanted.assumptions.iter().partition(|assumption| identifiers(assumption).any(&is_array));
    for assumption in about_numbers {
        text.assume(assumption);
    }
    for (index, param) in params.iter().enumerate() {
        let ty = program.vars[*param].ty;
        match program.types.pointee(ty) {
            Some(target) if text.has_object(names[index], ty) => text.array(name, names[index], target)?,
            None if !program.types.is_scalar(ty) => {
                let declared = program.types.declare(ty, names[index].to_string(), &program.names);
                text.body.push_str(&format!("  {declared};\n"));
                text.fill(names[index], ty, wanted.depth)?;
            }
            _ => {}
        }
    }
    about_arrays.into_iter().for_each(|assumption| text.assume(assumption));
    let Text { before, body, .. } = text;
    Ok(format!("{before}void {caller}(void) {{\n{body}  {name}({});\n}}\n", names.join(", ")))
}

/// Whether an array can have such a length.
fn check_length(program: &Program, function: FuncId, array: &str, length: &Length) -> Result<(), String> {
    let name = program.function_name(function);
    let param = |wanted: &str| {
        let params = program.functions[function].params.iter();
        let mut types = params.map(|param| &program.vars[*param]);
        let found = types.find(|var| program.name(var.name) == wanted).map(|var| var.ty);
        found.ok_or_else(|| format!("`{name}` has no parameter `{wanted}`"))
    };
    if program.types.pointee(param(array)?).is_none() {
        return Err(format!("parameter `{array}` of `{name}` is no pointer"));
    }
    match length {
        Length::Param(length) if param(length)?.int_kind().is_none() => {
            Err(format!("parameter `{length}` of `{name}` is no integer, so it is no length of `{array}`"))
        }
        _ => Ok(()),
    }
}

/// The names in a condition.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

struct Text<'a> {
    program: &'a Program,
    wanted: &'a EntryObjects,
    /// Declarations of the functions that give inputs.
    before: String,
    /// Says that what follows is no text of the user's.
    marker: String,
    body: String,
    objects: usize,
}

impl Text<'_> {
    /// Whether a parameter is a pointer that leads to an object.
    fn has_object(&self, name: &str, ty: TypeId) -> bool {
        let EntryObjects { elements, lengths, depth, .. } = self.wanted;
        let asked = elements.is_some() || *depth > 0 || lengths.iter().any(|(other, _)| other == name);
        asked && self.program.types.pointee(ty).is_some()
    }

    fn declare(&self, ty: TypeId, name: String) -> String {
        self.program.types.declare(ty, name, &self.program.names)
    }

    fn input(&mut self, name: &str, ty: TypeId, function: &str) {
        let (declared, prototype) = (self.declare(ty, name.to_string()), self.declare(ty, format!("{function}(void)")));
        self.before.push_str(&format!("extern {prototype};\n"));
        self.body.push_str(&format!("  {declared} = {function}();\n"));
    }

    /// Messages about the condition name the option.
    fn assume(&mut self, condition: &str) {
        self.body.push_str(&format!("# 1 \"--assume\"\n  __VERIFIER_assume(!!({condition}));\n{}", self.marker));
    }

    /// The array that a parameter points to.
    fn array(&mut self, function: &str, name: &str, target: TypeId) -> Result<(), String> {
        if matches!(self.program.types.get(target), Type::Function(_)) {
            return Err(format!("parameter `{name}` of `{function}` points to a function: there is no array of those"));
        }
        let element = if self.program.types.size_of(target).is_some() { target } else { TypeId::CHAR };
        let length = self.wanted.lengths.iter().find(|(other, _)| other == name).map(|(_, length)| length);
        match length {
            Some(Length::Param(length)) => {
                if self.wanted.depth > 0 && self.has_pointers(element) {
                    return Err(format!("`{name}` has elements with pointers: its length has to be a number"));
                }
                let pointer = self.declare(element, format!("*{name}"));
                self.body.push_str(&format!(
                    "  __VERIFIER_assume({length} >= 0);\n  {pointer} = __library_object(({length}) * sizeof(*{name}));\n"
                ));
                Ok(())
            }
            Some(Length::Elements(elements)) => self.elements(name, element, *elements, self.wanted.depth),
            None => self.elements(name, element, self.wanted.elements.unwrap_or(1), self.wanted.depth),
        }
    }

    /// An array of so many elements; pointers in it lead so deep.
    fn elements(&mut self, name: &str, element: TypeId, elements: u32, depth: u32) -> Result<(), String> {
        self.objects += 1;
        if self.objects > MAX_OBJECTS {
            return Err(format!(
                "there are more than {MAX_OBJECTS} objects to begin with; choose a smaller --entry-depth"
            ));
        }
        let declared = self.declare(element, format!("{name}[{elements}]"));
        self.body.push_str(&format!("  {declared};\n"));
        if self.wanted.depth > 0 && self.has_pointers(element) {
            for index in 0..elements {
                self.fill(&format!("{name}[{index}]"), element, depth.saturating_sub(1))?;
            }
        }
        Ok(())
    }

    fn has_pointers(&self, ty: TypeId) -> bool {
        match *self.program.types.get(ty) {
            Type::Pointer(_) => true,
            Type::Array(element, _) => self.has_pointers(element),
            Type::Record(record) => {
                self.program.types.records[record].fields.iter().any(|field| self.has_pointers(field.ty))
            }
            _ => false,
        }
    }

    /// Lets the pointers in an object lead somewhere, if that is asked for.
    fn fill(&mut self, object: &str, ty: TypeId, depth: u32) -> Result<(), String> {
        if self.wanted.depth == 0 || !self.has_pointers(ty) {
            return Ok(());
        }
        match *self.program.types.get(ty) {
            Type::Pointer(target) => self.pointer(object, target, depth),
            Type::Array(element, Some(length)) if length <= MAX_OBJECTS as u64 => {
                (0..length).try_for_each(|index| self.fill(&format!("{object}[{index}]"), element, depth))
            }
            Type::Array(..) => Err(format!("`{object}` has too many pointers, or an unknown number of them")),
            Type::Record(record) => {
                let record = self.program.types.records[record].clone();
                // The members of a union share their bytes.
                let most = if record.kind == RecordKind::Union { 1 } else { record.fields.len() };
                for field in record.fields.iter().take(most) {
                    let member = match field.name {
                        Some(name) => format!("{object}.{}", self.program.name(name)),
                        None => object.to_string(),
                    };
                    if field.is_const && self.has_pointers(field.ty) {
                        return Err(format!("`{member}` is const: it cannot be made to point to an object"));
                    }
                    self.fill(&member, field.ty, depth)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn pointer(&mut self, pointer: &str, target: TypeId, depth: u32) -> Result<(), String> {
        let types = &self.program.types;
        let is_void = matches!(types.get(target), Type::Void);
        if depth == 0 || (types.size_of(target).is_none() && !is_void) {
            self.body.push_str(&format!("  {pointer} = 0;\n"));
            return Ok(());
        }
        let name = format!("object_{}", self.objects);
        let element = if is_void { TypeId::CHAR } else { target };
        self.elements(&name, element, self.wanted.elements.unwrap_or(1), depth)?;
        let choice = format!("nondet_points_{name}");
        self.before.push_str(&format!("extern _Bool {choice}(void);\n"));
        self.body.push_str(&format!("  if ({choice}()) {pointer} = {name}; else {pointer} = 0;\n"));
        Ok(())
    }
}
