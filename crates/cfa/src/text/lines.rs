//! Text to tables. Two passes over the lines: the first reads everything but edges and `let`, so that the second, which reads those,
//! knows every variable and function in any order of lines.

use super::scan::{Cursor, Mark, ParseError, Parsed};
use super::tree::{Trees, constant, ty};
use crate::types::{BitRange, Field, FunctionType, Record, RecordKind};
use crate::*;
use base::ids::Id;
use base::{IdVec, Span};
use std::ops::Range;

pub(super) fn parse(text: &str) -> Result<Program, ParseError> {
    let mut lines = text.lines().zip(1u32..).map(|(line, number)| Cursor::new(line, number));
    let mut first = lines.next().unwrap_or(Cursor::new("", 1));
    first.expect("program")?;
    let model = first.word()?;
    let models = [DataModel::Ilp32, DataModel::Lp64];
    let Some(model) = models.into_iter().find(|known| known.name() == model) else {
        return first.error("expected `ilp32` or `lp64`");
    };
    let unsigned_char = first.eat_word("unsigned-char");
    first.end()?;
    let mut tables = Tables::new(model);
    tables.program.types.unsigned_char = unsigned_char;
    let mut steps = Vec::new();
    for mut cursor in lines {
        tables.line(&mut cursor, &mut steps)?;
    }
    tables.finish(steps)
}

/// A line for the second pass: the location it stands under.
struct Step<'a> {
    cursor: Cursor<'a>,
    from: LocId,
    function: FuncId,
}

/// An id that was mentioned, to be looked up when the tables are complete.
enum Mention {
    Var(VarId),
    Function(FuncId),
    Record(RecordId),
    Scope(ScopeId),
    Location(LocId),
}

impl Mention {
    fn prefix(&self) -> &'static str {
        match self {
            Mention::Var(_) => "v",
            Mention::Function(_) => "f",
            Mention::Record(_) => "r",
            Mention::Scope(_) => "s",
            Mention::Location(_) => "L",
        }
    }
}

struct Tables {
    program: Program,
    vars: Vec<(u32, Mark, Var)>,
    locations: Vec<(u32, Mark, Location)>,
    mentions: Vec<(Mark, Mention)>,
    /// What the indented lines belong to.
    record: Option<RecordId>,
    scope: Option<ScopeId>,
    function: Option<FuncId>,
    location: Option<LocId>,
}

/// Extends a range, which starts out empty, by a member.
fn widen(range: &mut Range<u32>, member: u32) {
    *range =
        if range.start == range.end { member..member + 1 } else { range.start.min(member)..range.end.max(member + 1) };
}

/// Items in the order of their ids, which must be 0, 1, 2, …
fn dense<I: Id + std::fmt::Display, T>(mut items: Vec<(u32, Mark, T)>) -> Parsed<IdVec<I, T>> {
    items.sort_by_key(|(id, ..)| *id);
    let mut table = IdVec::with_capacity(items.len());
    for (id, mark, item) in items {
        let expected: I = table.push(item);
        if expected.index() != id as usize {
            return Err(mark.error(format!("{} comes where {expected} must be", I::from_index(id as usize))));
        }
    }
    Ok(table)
}

impl Tables {
    fn new(model: DataModel) -> Self {
        let mut program = Program::new(model);
        program.scopes = IdVec::new();
        Tables {
            program,
            vars: Vec::new(),
            locations: Vec::new(),
            mentions: Vec::new(),
            record: None,
            scope: None,
            function: None,
            location: None,
        }
    }

    /// Reads an id and keeps it in mind.
    fn mention<I: Id>(&mut self, cursor: &mut Cursor<'_>, mention: fn(I) -> Mention) -> Parsed<I> {
        let mark = cursor.mark();
        let id = I::from_index(cursor.id(mention(I::from_index(0)).prefix())? as usize);
        self.mentions.push((mark, mention(id)));
        Ok(id)
    }

    fn line<'a>(&mut self, cursor: &mut Cursor<'a>, steps: &mut Vec<Step<'a>>) -> Parsed<()> {
        cursor.space();
        if cursor.rest().is_empty() {
            return Ok(());
        }
        let start = cursor.clone();
        match cursor.word()? {
            "type" => self.ty(cursor)?,
            "record" => self.record(cursor)?,
            "field" => self.field(cursor)?,
            "global" => self.var(cursor, |_| VarKind::Global)?,
            "constant" => self.var(cursor, |_| VarKind::Constant)?,
            "param" => self.var(cursor, VarKind::Param)?,
            "local" => self.var(cursor, VarKind::Local)?,
            "temp" => self.var(cursor, VarKind::Temp)?,
            "vla" => self.var(cursor, VarKind::Vla)?,
            "scope" => self.scope(cursor)?,
            "name" => self.name(cursor)?,
            "fn" => self.function(cursor)?,
            word if word.starts_with('L') => {
                *cursor = start;
                self.location(cursor)?;
            }
            word if word == "let" || word.starts_with('e') => {
                let (Some(function), Some(from)) = (self.function, self.location) else {
                    return start.error("an edge outside a location");
                };
                steps.push(Step { cursor: start, from, function });
                return Ok(());
            }
            word => return start.error(format!("`{word}` starts no line")),
        }
        cursor.end()
    }

    fn ty(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let start = cursor.mark();
        let id = cursor.id("t")?;
        cursor.expect("=")?;
        let new = match cursor.word()? {
            "ptr" => Type::Pointer(ty(cursor, &self.program.types)?),
            "array" => {
                let element = ty(cursor, &self.program.types)?;
                Type::Array(element, if cursor.eat("?") { None } else { Some(cursor.number()?) })
            }
            "record" => {
                let record = self.mention(cursor, Mention::Record)?;
                Type::Record(record)
            }
            "fn" => Type::Function(function_type(cursor, &self.program.types)?),
            word => return cursor.error(format!("`{word}` makes no type")),
        };
        let expected = self.program.types.len();
        if self.program.types.intern(new) != TypeId(id) || id as usize != expected {
            return Err(start.error(format!("expected a new type and its id t{expected}")));
        }
        Ok(())
    }

    fn record(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let id = self.program.types.records.next_id();
        cursor.expect(&id.to_string())?;
        let kind = match cursor.word()? {
            "struct" => RecordKind::Struct,
            "union" => RecordKind::Union,
            _ => return cursor.error("expected `struct` or `union`"),
        };
        let tag = cursor.name_or_dash()?.map(|tag| self.program.names.intern(&tag));
        cursor.expect("size")?;
        let size = cursor.number()?;
        cursor.expect("align")?;
        let align = cursor.number()?;
        let complete = !cursor.eat_word("incomplete");
        self.program.types.records.push(Record { kind, tag, fields: Vec::new(), size, align, complete });
        self.record = Some(id);
        Ok(())
    }

    fn field(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let Some(record) = self.record else { return cursor.error("a field outside a record") };
        let name = cursor.name_or_dash()?.map(|name| self.program.names.intern(&name));
        cursor.expect(":")?;
        let ty = ty(cursor, &self.program.types)?;
        cursor.expect("at")?;
        let offset = cursor.number()?;
        let bits = if cursor.eat_word("bits") {
            let start = cursor.number()?;
            cursor.expect(":")?;
            Some(BitRange { start, width: cursor.number()? })
        } else {
            None
        };
        let is_const = cursor.eat_word("const");
        self.program.types.records[record].fields.push(Field { name, ty, offset, bits, is_const });
        Ok(())
    }

    fn var(&mut self, cursor: &mut Cursor<'_>, kind: impl Fn(FuncId) -> VarKind) -> Parsed<()> {
        let start = cursor.mark();
        let id = cursor.id("v")?;
        let name = cursor.name()?;
        let name = self.program.names.intern(&name);
        cursor.expect(":")?;
        let ty = ty(cursor, &self.program.types)?;
        let owner = if cursor.eat_word("of") {
            let owner = self.mention(cursor, Mention::Function)?;
            Some(owner)
        } else {
            self.function
        };
        let kind = match (kind(owner.unwrap_or(FuncId(0))), owner) {
            (kind, None) if kind.function().is_some() => return cursor.error("the variable of no function"),
            (kind, _) => kind,
        };
        let address_taken = cursor.eat_word("addr");
        let read_only = cursor.eat_word("const");
        let init = if cursor.eat("=") { self.init(cursor)? } else { Init::None };
        let span = cursor.span()?;
        if let Some(Body::Defined(automaton)) = self.function.map(|function| &mut self.program.functions[function].body)
        {
            widen(&mut automaton.vars, id);
        }
        self.vars.push((id, start, Var { name, ty, kind, init, address_taken, read_only, span }));
        Ok(())
    }

    fn init(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Init> {
        match cursor.word()? {
            "zero" => return Ok(Init::Zero),
            "unknown" => return Ok(Init::Unknown),
            "static" => {}
            _ => return cursor.error("expected `zero`, `unknown` or `static`"),
        }
        cursor.expect("#")?;
        let digits = cursor.digits(16);
        if !digits.len().is_multiple_of(2) {
            return cursor.error("half a byte");
        }
        let bytes =
            (0..digits.len()).step_by(2).filter_map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect();
        let mut relocations = Vec::new();
        cursor.space();
        while cursor.byte().is_some_and(|byte| byte.is_ascii_digit()) {
            relocations.push(self.relocation(cursor)?);
            cursor.space();
        }
        Ok(Init::Static(StaticInit { bytes, relocations }))
    }

    fn relocation(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Relocation> {
        let offset = cursor.number()?;
        cursor.expect(":")?;
        let target = if cursor.peek_word().starts_with('f') {
            let function = self.mention(cursor, Mention::Function)?;
            RelocationTarget::Function(function)
        } else {
            let var = self.mention(cursor, Mention::Var)?;
            RelocationTarget::Var(var)
        };
        let negative = cursor.eat("-");
        let magnitude: u64 = if negative || cursor.eat("+") { cursor.number()? } else { 0 };
        let addend = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
        let Ok(addend) = i64::try_from(addend) else { return cursor.error("expected a number in range") };
        Ok(Relocation { offset, target, addend })
    }

    fn scope(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let id = self.program.scopes.next_id();
        cursor.expect(&id.to_string())?;
        let parent = if cursor.eat_word("in") { Some(self.scope_position(cursor)?) } else { None };
        let span = cursor.span()?;
        self.program.scopes.push(Scope { parent, names: Vec::new(), span });
        self.scope = Some(id);
        Ok(())
    }

    /// `s1/2`
    fn scope_position(&mut self, cursor: &mut Cursor<'_>) -> Parsed<(ScopeId, u32)> {
        let scope = self.mention(cursor, Mention::Scope)?;
        cursor.expect("/")?;
        Ok((scope, cursor.number()?))
    }

    fn name(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let Some(scope) = self.scope else { return cursor.error("a name outside a scope") };
        let name = cursor.name()?;
        let name = self.program.names.intern(&name);
        cursor.expect("=")?;
        cursor.space();
        let binding = if cursor.eat_word("type") {
            Binding::Type(ty(cursor, &self.program.types)?)
        } else if cursor.peek_word().starts_with('v') {
            let var = self.mention(cursor, Mention::Var)?;
            Binding::Var(var)
        } else if cursor.peek_word().starts_with('f') {
            let function = self.mention(cursor, Mention::Function)?;
            Binding::Function(function)
        } else {
            let (ty, bits) = constant(cursor, &self.program.types)?;
            Binding::Constant(ty, bits)
        };
        self.program.scopes[scope].names.push((name, binding));
        Ok(())
    }

    fn function(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let id = self.program.functions.next_id();
        cursor.expect(&id.to_string())?;
        let text = cursor.name()?;
        let name = self.program.names.intern(&text);
        cursor.expect(":")?;
        let ty = ty(cursor, &self.program.types)?;
        cursor.expect("(")?;
        let mut params = Vec::new();
        while !cursor.eat(")") {
            let param = self.mention(cursor, Mention::Var)?;
            params.push(param);
        }
        let span = cursor.span()?;
        let body = match cursor.word()? {
            "undefined" => Body::Undefined,
            "system" => Body::Library(library::LibFn::UNMODELLED_SYSTEM_FUNCTION),
            "library" => match library::lookup(&text) {
                Some(known) => Body::Library(known),
                None => return cursor.error(format!("`{text}` is no library function")),
            },
            "scope" => Body::Defined(self.automaton(cursor)?),
            _ => return cursor.error("expected `undefined`, `system`, `library` or `scope`"),
        };
        self.program.functions.push(Function { name, ty, params, body, span });
        (self.function, self.location) = (Some(id), None);
        Ok(())
    }

    fn automaton(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Automaton> {
        let scope = self.mention(cursor, Mention::Scope)?;
        cursor.expect("entry")?;
        let entry = self.mention(cursor, Mention::Location)?;
        cursor.expect("exit")?;
        let exit = self.mention(cursor, Mention::Location)?;
        Ok(Automaton { entry, exit, locations: 0..0, edges: 0..0, vars: 0..0, scope, span: cursor.span()? })
    }

    fn location(&mut self, cursor: &mut Cursor<'_>) -> Parsed<()> {
        let start = cursor.mark();
        let id = cursor.id("L")?;
        cursor.expect(":")?;
        let (scope, visible) = self.scope_position(cursor)?;
        let loop_head = if cursor.eat_word("loop") { Some(cursor.span()?) } else { None };
        let Some(function) = self.function else { return Err(start.error("a location outside a function")) };
        let Body::Defined(automaton) = &mut self.program.functions[function].body else {
            return Err(start.error("a location of a function without body"));
        };
        widen(&mut automaton.locations, id);
        self.locations.push((id, start, Location { function, scope, visible, out: [None, None], loop_head }));
        self.location = Some(LocId(id));
        Ok(())
    }

    fn finish(self, steps: Vec<Step<'_>>) -> Parsed<Program> {
        let Tables { mut program, vars, locations, mentions, .. } = self;
        program.vars = dense(vars)?;
        program.locations = dense(locations)?;
        if program.scopes.is_empty() {
            program.scopes.push(Scope { parent: None, names: Vec::new(), span: Span::NONE });
        }
        for (mark, mention) in mentions {
            let (known, name) = match mention {
                Mention::Var(id) => (id.index() < program.vars.len(), id.to_string()),
                Mention::Function(id) => (id.index() < program.functions.len(), id.to_string()),
                Mention::Record(id) => (id.index() < program.types.records.len(), id.to_string()),
                Mention::Scope(id) => (id.index() < program.scopes.len(), id.to_string()),
                Mention::Location(id) => (id.index() < program.locations.len(), id.to_string()),
            };
            if !known {
                return Err(mark.error(format!("{name} is not defined")));
            }
        }
        read_edges(&mut program, steps)?;
        Ok(program)
    }
}

fn function_type(cursor: &mut Cursor<'_>, types: &TypeTable) -> Parsed<FunctionType> {
    let result = ty(cursor, types)?;
    cursor.expect("(")?;
    let (mut params, mut variadic) = (Vec::new(), false);
    while !cursor.eat(")") {
        if cursor.eat("...") {
            variadic = true;
            cursor.expect(")")?;
            break;
        }
        params.push(ty(cursor, types)?);
    }
    let unprototyped = cursor.eat_word("unprototyped");
    Ok(FunctionType { result, params, variadic, unprototyped })
}

/// The second pass.
fn read_edges(program: &mut Program, steps: Vec<Step<'_>>) -> Parsed<()> {
    let mut edges: Vec<(u32, Mark, Edge)> = Vec::new();
    let mut trees = Trees::new(program);
    for Step { mut cursor, from, function } in steps {
        if cursor.eat_word("let") {
            trees.definition(&mut cursor)?;
            continue;
        }
        let start = cursor.mark();
        let id = cursor.id("e")?;
        cursor.expect(":")?;
        let same = match edges.last() {
            Some((_, _, Edge { from: before, op: Op::Assume { cond, .. }, .. })) if *before == from => Some(*cond),
            _ => None,
        };
        let op = trees.op(&mut cursor, same)?;
        cursor.expect("->")?;
        let to = LocId(cursor.id("L")?);
        if to.index() >= trees.program.locations.len() {
            return Err(start.error(format!("{to} is not defined")));
        }
        let span = cursor.span()?;
        let anchor = if cursor.eat("^") { cursor.number()? } else { span.lo };
        let caveat = match cursor.eat_word("caveat") {
            true => Some(trees.program.names.intern(&cursor.name()?)),
            false => None,
        };
        cursor.end()?;
        let slots = &mut trees.program.locations[from].out;
        let Some(slot) = slots.iter_mut().find(|slot| slot.is_none()) else {
            return Err(start.error(format!("a third edge of {from}")));
        };
        *slot = Some(EdgeId(id));
        if let Body::Defined(automaton) = &mut trees.program.functions[function].body {
            widen(&mut automaton.edges, id);
        }
        edges.push((id, start, Edge { from, to, op, span, anchor, caveat }));
    }
    program.edges = dense(edges)?;
    Ok(())
}
