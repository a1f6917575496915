//! Specifiers and declarators → types.

use super::Lower;
use super::layout::{Member as LaidOut, RecordOptions};
use super::scope::Name;
use crate::c::ast::{self, Attribute, List, Member, ParamKind, Part, SpecsId, TypeNameId, TypeSpec};
use base::{Span, Symbol};
use cfa::types::{FunctionType, RecordKind};
use cfa::{Bits, IntKind, RecordId, Type, TypeId};

/// The largest size of an object; larger ones are a mistake, and their offsets would not fit a pointer difference.
const MAX_OBJECT: u64 = 1 << 47;

/// What stands for every type with the attribute `vector_size`.
pub(super) const VECTOR: &str = "vector type";

/// What a declarator declares.
#[derive(Clone)]
pub(super) struct Declared {
    pub ty: TypeId,
    /// The lengths of a variable-length array, outermost first (the first may be left out in a parameter); `ty` is then the type of the
    /// elements after all of them.
    pub vla: Option<Vec<Option<ast::ExprId>>>,
}

impl Lower<'_> {
    pub(super) fn type_of_name(&mut self, name: TypeNameId) -> TypeId {
        let ast::TypeName { specs, declarator, span } = self.ast.type_names[name];
        let base = self.specs_type(specs);
        let declared = self.declared_type(base, declarator);
        match declared.vla {
            Some(_) => self.run_time_type("variable-length array type", span),
            None => declared.ty,
        }
    }

    /// The type that declaration specifiers name, with what attributes among them change.
    pub(super) fn specs_type(&mut self, specs: SpecsId) -> TypeId {
        let specs = self.ast.specs[specs];
        let base = match specs.base {
            TypeSpec::Missing => TypeId::INT,
            TypeSpec::Void => TypeId::VOID,
            TypeSpec::Int(kind) => TypeId::int(kind),
            TypeSpec::Float(kind) => TypeId::float(kind),
            TypeSpec::Unsupported(name) => {
                let name = self.text(name).to_string();
                self.unsupported_type(&name)
            }
            TypeSpec::Name(name) => match self.names.ordinary(name) {
                Some(Name::Typedef { ty, .. }) => ty,
                _ => {
                    let message = format!("unknown type name `{}`", self.text(name));
                    self.error(specs.span, message);
                    TypeId::INT
                }
            },
            TypeSpec::Record(record) => self.record_type(&record),
            TypeSpec::Enum(spec) => self.enum_type(&spec),
            TypeSpec::TypeofExpr(expr) => self.type_of_expr(expr),
            TypeSpec::TypeofType(name) | TypeSpec::Atomic(name) => self.type_of_name(name),
            // The declaration looks at the initializer; elsewhere there is none.
            TypeSpec::Auto => TypeId::INT,
            TypeSpec::VaList => self.va_list_type(),
            TypeSpec::Error => TypeId::INT,
        };
        self.with_mode(base, specs.attributes)
    }

    /// `__attribute__((mode(DI)))` picks another width; `vector_size` is not supported.
    pub(super) fn with_mode(&mut self, base: TypeId, attributes: List<Attribute>) -> TypeId {
        let mut ty = base;
        for attribute in self.ast.get(attributes) {
            match attribute {
                Attribute::Mode(mode) => {
                    let signed = self.program.types.is_signed(ty);
                    let name = self.text(*mode).trim_matches('_').to_string();
                    let kind = match name.as_str() {
                        "QI" | "byte" => IntKind::SChar,
                        "HI" => IntKind::Short,
                        "SI" => IntKind::Int,
                        "DI" => IntKind::LongLong,
                        "TI" => IntKind::Int128,
                        "word" | "pointer" => IntKind::Long,
                        "SF" => return TypeId::FLOAT,
                        "DF" => return TypeId::DOUBLE,
                        "XF" => return TypeId::LONG_DOUBLE,
                        _ => return self.unsupported_type("attribute mode"),
                    };
                    ty = TypeId::int(if signed { kind } else { kind.to_unsigned() });
                }
                Attribute::VectorSize => ty = self.unsupported_type(VECTOR),
                _ => {}
            }
        }
        ty
    }

    /// A stand-in for a type that exists but is not supported. Declaring with it is fine, using a value of it is poison.
    pub(super) fn unsupported_type(&mut self, name: &str) -> TypeId {
        let tag = self.program.names.intern(name);
        if let Some(ty) = self.unsupported_by_name.get(&tag) {
            return *ty;
        }
        let (id, ty) = self.program.types.new_record(RecordKind::Struct, Some(tag));
        let record = &mut self.program.types.records[id];
        (record.size, record.align, record.complete) = (16, 16, true);
        self.unsupported.insert(id, tag);
        self.unsupported_by_name.insert(tag, ty);
        ty
    }

    /// The size and alignment of a stand-in are not those of the type, with the exception of `__float128`, which headers align things by.
    pub(super) fn poison_layout(&mut self, ty: TypeId, span: Span) {
        let Some(name) = self.unsupported_name(ty) else { return };
        let stand_in = self.unsupported_by_name.values().any(|known| *known == ty);
        if !(stand_in && matches!(name.as_str(), "__float128" | "_Float128")) {
            self.poison(span, &name);
        }
    }

    /// A type whose size is known only at run time, as far as it is not supported: its declaration computes, so it is poison already.
    pub(super) fn run_time_type(&mut self, name: &str, span: Span) -> TypeId {
        if self.function.is_some() {
            self.poison(span, name);
        }
        self.unsupported_type(name)
    }

    /// The name of the unsupported construct that a type stands for.
    pub(super) fn unsupported_name(&self, ty: TypeId) -> Option<String> {
        match self.program.types.get(ty) {
            Type::Record(record) => self.unsupported.get(record).map(|construct| self.text(*construct).to_string()),
            Type::Array(element, _) => self.unsupported_name(*element),
            _ => None,
        }
    }

    fn record_type(&mut self, spec: &ast::RecordSpec) -> TypeId {
        let kind = if spec.is_union { RecordKind::Union } else { RecordKind::Struct };
        let existing = spec.tag.and_then(|tag| {
            let ty = self.names.tag(tag)?;
            // A definition in an inner block makes a new type; a mere mention refers to the visible one.
            (spec.members.is_none() || self.names.tag_is_local(tag)).then_some(ty)
        });
        let (id, ty) = match existing.map(|ty| (ty, self.program.types.get(ty).clone())) {
            Some((ty, Type::Record(id))) if self.program.types.records[id].kind == kind => (id, ty),
            Some(_) => {
                let message = format!("`{}` is declared as another kind of tag", self.text(spec.tag.expect("tagged")));
                self.error(spec.span, message);
                self.program.types.new_record(kind, spec.tag)
            }
            None => {
                let (id, ty) = self.program.types.new_record(kind, spec.tag);
                if let Some(tag) = spec.tag {
                    self.bind_tag(tag, ty);
                }
                (id, ty)
            }
        };
        if let Some(members) = spec.members {
            if self.program.types.records[id].complete {
                let tag = spec.tag.map_or(String::new(), |tag| self.text(tag).to_string());
                self.error(spec.span, format!("redefinition of `{tag}`"));
                return ty;
            }
            self.record_members(id, members, spec);
        }
        ty
    }

    fn record_members(&mut self, id: RecordId, members: List<Member>, spec: &ast::RecordSpec) {
        let packed_record =
            self.ast.get(spec.attributes).iter().any(|attribute| matches!(attribute, Attribute::Packed));
        let members = self.ast.get(members);
        let mut laid_out = Vec::with_capacity(members.len());
        // `struct { struct t { … } a, b; }` defines its inner struct once.
        let mut last = None;
        for (index, member) in members.iter().enumerate() {
            match *member {
                Member::StaticAssert { cond, message, span } => self.static_assert(cond, message, span),
                Member::Field { specs, declarator, width, span } => {
                    let base = match last {
                        Some((same, base)) if same == specs => base,
                        _ => self.specs_type(specs),
                    };
                    last = Some((specs, base));
                    let mut attributes = vec![self.ast.specs[specs].attributes];
                    let (mut name, mut ty) = (None, base);
                    let qualifiers = self.member_qualifiers(specs, declarator);
                    if let Some(declarator) = declarator.map(|declarator| self.ast.declarators[declarator])
                        && let Some(name) = declarator.name
                        && let Some(enumeration) = self.declared_enumeration(&self.ast.specs[specs], &declarator)
                    {
                        self.program.enumerations.of_member(id, name, enumeration);
                    }
                    if let Some(declarator) = declarator {
                        let declared = self.declared_type(base, declarator);
                        ty = match declared.vla {
                            Some(_) => self.run_time_type("variable-length array in a struct", span),
                            None => declared.ty,
                        };
                        let declarator = self.ast.declarators[declarator];
                        name = declarator.name;
                        attributes.push(declarator.attributes);
                        ty = self.with_mode(ty, declarator.attributes);
                    } else if width.is_none() && !self.is_record(ty) {
                        // `struct { int; }` declares nothing.
                        self.warning(span, "declaration does not declare anything");
                        continue;
                    } else if width.is_none() && self.record_tag(ty).is_some() {
                        // `struct { struct s { … }; }` declares a tag only (gcc without -fms-extensions).
                        self.warning(span, "declaration does not declare anything");
                        continue;
                    }
                    let last = index + 1 == members.len();
                    let flexible = matches!(self.program.types.get(ty), Type::Array(_, None));
                    if self.program.types.size_of(ty).is_none() {
                        if !flexible {
                            let message = format!("field has incomplete type `{}`", self.type_name(ty));
                            self.error(span, message);
                            ty = TypeId::INT;
                        } else if !last && !spec.is_union {
                            self.error(span, "flexible array member is not at the end of the struct");
                        }
                    }
                    // It would be taken for one that may not be written, or for one that others do not write.
                    if qualifiers.is_const() != qualifiers.is_surely_const() {
                        ty = self.run_time_type("member whose type may be const", span);
                    }
                    let width = width.map(|width| self.bit_field_width(width, ty, name.is_some(), span));
                    let attributes: Vec<Attribute> =
                        attributes.iter().flat_map(|list| self.ast.get(*list)).copied().collect();
                    let packed =
                        packed_record || attributes.iter().any(|attribute| matches!(attribute, Attribute::Packed));
                    let align = self.alignment(&attributes, span);
                    let listed = name.is_some() || width.is_none();
                    laid_out.push(LaidOut { name, ty, width, packed, align, listed, qualifiers });
                }
            }
        }
        let attributes: Vec<Attribute> = self.ast.get(spec.attributes).to_vec();
        let align = self.alignment(&attributes, spec.span);
        let pack = (spec.pack != 0).then_some(spec.pack as u64);
        self.lay_out(id, &laid_out, &RecordOptions { pack, align });
        self.check_duplicate_fields(id, spec.span);
        self.note_unsupported_record(id, &laid_out, &attributes);
        if self.program.types.records[id].size > MAX_OBJECT {
            self.error(spec.span, "struct is too large");
            self.program.types.records[id].size = 16;
        }
    }

    /// The size and the bytes of a record with a member that is not supported are not known either.
    fn note_unsupported_record(&mut self, id: RecordId, members: &[LaidOut], attributes: &[Attribute]) {
        let member = members.iter().find_map(|member| self.unsupported_name(member.ty));
        let attribute = attributes.iter().find_map(|attribute| match attribute {
            Attribute::Unsupported(name) => Some(self.attribute_name(*name)),
            _ => None,
        });
        if let Some(construct) = member.or(attribute) {
            let construct = self.program.names.intern(&construct);
            self.unsupported.insert(id, construct);
        }
    }

    fn check_duplicate_fields(&mut self, id: RecordId, span: Span) {
        let mut seen: Vec<Symbol> =
            self.program.types.records[id].fields.iter().filter_map(|field| field.name).collect();
        seen.sort_unstable();
        if let Some(pair) = seen.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("duplicate member `{}`", self.text(pair[0]));
            self.error(span, message);
        }
    }

    fn bit_field_width(&mut self, width: ast::ExprId, ty: TypeId, named: bool, span: Span) -> u64 {
        let limit = ty.int_kind().map(|kind| kind.bits(self.program.model()));
        let value = self.constant_int(width);
        let problem = match (limit, value) {
            (None, _) => "bit-field has a type that is not an integer",
            (_, None) => "bit-field width is not an integer constant",
            (_, Some(..0)) => "bit-field has a negative width",
            (_, Some(0)) if named => "named bit-field has zero width",
            (Some(limit), Some(value)) if value > limit as i128 => "bit-field is wider than its type",
            (Some(_), Some(value)) => return value as u64,
        };
        self.error(span, problem);
        1
    }

    /// The strictest alignment that attributes ask for.
    pub(super) fn alignment(&mut self, attributes: &[Attribute], span: Span) -> Option<u64> {
        let mut strictest = None;
        for attribute in attributes {
            let align = match attribute {
                Attribute::Aligned(None) => Some(16),
                Attribute::Aligned(Some(expr)) => match self.constant_int(*expr) {
                    Some(0) => None,
                    Some(value) if value > 0 && value < 1 << 28 && (value as u64).is_power_of_two() => {
                        Some(value as u64)
                    }
                    _ => {
                        self.error(span, "alignment is not a small power of two");
                        None
                    }
                },
                Attribute::AlignedAs(name) => {
                    let ty = self.type_of_name(*name);
                    Some(self.program.types.align_of(ty))
                }
                _ => None,
            };
            strictest = strictest.max(align);
        }
        strictest
    }

    fn enum_type(&mut self, spec: &ast::EnumSpec) -> TypeId {
        let Some(enumerators) = spec.enumerators else {
            let tag = spec.tag.unwrap_or(Symbol(0));
            if let Some(ty) = self.names.tag(tag) {
                if self.is_record(ty) {
                    let message = format!("`{}` is not an enumeration", self.text(tag));
                    self.error(spec.span, message);
                }
                return ty;
            }
            // gcc takes a forward reference; it is represented as most enumerations are.
            self.bind_tag(tag, TypeId::UINT);
            return TypeId::UINT;
        };
        let mut values = Vec::new();
        let mut next = 0i128;
        for enumerator in self.ast.get(enumerators) {
            if let Some(expr) = enumerator.value {
                next = self.constant_int(expr).unwrap_or_else(|| {
                    self.error(enumerator.span, "enumerator value is not an integer constant");
                    0
                });
            }
            values.push(next);
            // Later enumerators may use earlier ones; their final type is known only after the last.
            let ty = self.enumerator_type(next);
            let bits = cfa::eval::from_i128(&self.program.types, ty, next);
            self.declare_constant(enumerator.name, ty, bits, enumerator.span);
            next += 1;
        }
        let (low, high) = (values.iter().min().copied().unwrap_or(0), values.iter().max().copied().unwrap_or(0));
        let packed = self.ast.get(spec.attributes).iter().any(|attribute| matches!(attribute, Attribute::Packed));
        let ty = self.enum_representation(low, high, packed);
        let ty = self.with_mode(ty, spec.attributes);
        self.note_enumeration(spec, &values);
        // GNU: an enumerator that is no `int` has the type of the enumeration.
        for (enumerator, value) in self.ast.get(enumerators).iter().zip(values) {
            if !self.fits(value, IntKind::Int) {
                let bits = cfa::eval::from_i128(&self.program.types, ty, value);
                self.bind(enumerator.name, Name::Constant(ty, bits));
            }
        }
        if let Some(tag) = spec.tag {
            self.bind_tag(tag, ty);
        }
        ty
    }

    fn enumerator_type(&self, value: i128) -> TypeId {
        let fits = |kind: IntKind| self.fits(value, kind);
        [IntKind::Int, IntKind::UInt, IntKind::Long, IntKind::ULong, IntKind::LongLong]
            .into_iter()
            .find(|kind| fits(*kind))
            .map_or(TypeId::ULONG_LONG, TypeId::int)
    }

    fn enum_representation(&self, low: i128, high: i128, packed: bool) -> TypeId {
        use IntKind::*;
        let candidates: &[IntKind] = match (low < 0, packed) {
            (true, true) => &[SChar, Short, Int, Long, LongLong],
            (false, true) => &[UChar, UShort, UInt, ULong, ULongLong],
            (true, false) => &[Int, Long, LongLong],
            (false, false) => &[UInt, ULong, ULongLong],
        };
        let kind = candidates.iter().find(|kind| self.fits(low, **kind) && self.fits(high, **kind));
        kind.map_or(TypeId::LONG_LONG, |kind| TypeId::int(*kind))
    }

    pub(super) fn fits(&self, value: i128, kind: IntKind) -> bool {
        let bits = kind.bits(self.program.model());
        if self.program.types.is_signed_kind(kind) {
            let half = 1i128 << (bits.min(127) - 1);
            bits == 128 || (-half..half).contains(&value)
        } else {
            value >= 0 && (bits >= 127 || value < 1i128 << bits)
        }
    }

    fn declare_constant(&mut self, name: Symbol, ty: TypeId, bits: Bits, span: Span) {
        if self.local_meaning(name).is_some() {
            let message = format!("redeclaration of `{}`", self.text(name));
            self.error(span, message);
        }
        self.bind(name, Name::Constant(ty, bits));
    }

    /// The type of a declared name: the specifiers' type wrapped in the declarator's parts, the one next to the name outermost.
    pub(super) fn declared_type(&mut self, base: TypeId, declarator: ast::DeclaratorId) -> Declared {
        let declarator = self.ast.declarators[declarator];
        let parts = self.ast.get(declarator.parts);
        let mut ty = base;
        for (index, part) in parts.iter().enumerate().rev() {
            ty = match *part {
                Part::Pointer(_) => self.program.types.pointer_to(ty),
                Part::Array { length, .. } => {
                    if self.program.types.size_of(ty).is_none()
                        && !matches!(self.program.types.get(ty), Type::Array(..))
                    {
                        let message = format!("array of elements of incomplete type `{}`", self.type_name(ty));
                        // A record may be completed later only for a mere parameter or `extern`; gcc rejects all of them.
                        if !self.is_record(ty) {
                            self.error(declarator.span, message);
                            ty = TypeId::INT;
                        }
                    }
                    match length {
                        None => self.program.types.array_of(ty, None),
                        Some(expr) => match self.array_length(ty, expr, declarator.span) {
                            Some(length) => self.program.types.array_of(ty, Some(length)),
                            None if parts[..=index].iter().all(|part| matches!(part, Part::Array { .. })) => {
                                return Declared { ty, vla: Some(lengths(&parts[..=index])) };
                            }
                            None => self.run_time_type("variable-length array type", declarator.span),
                        },
                    }
                }
                Part::Function { params, kind } => self.function_type(ty, params, kind, declarator.span),
            };
        }
        Declared { ty: self.with_mode(ty, declarator.attributes), vla: None }
    }

    /// A constant array length; `None` for one that is known only at run time.
    fn array_length(&mut self, element: TypeId, expr: ast::ExprId, span: Span) -> Option<u64> {
        let length = self.constant_int(expr)?;
        if length < 0 {
            self.error(self.ast.exprs[expr].span, "array has a negative length");
            return Some(1);
        }
        let size = self.program.types.size_of(element).unwrap_or(1).max(1) as i128;
        if length.checked_mul(size).is_none_or(|bytes| bytes > MAX_OBJECT as i128) {
            self.error(span, "array is too large");
            return Some(1);
        }
        Some(length as u64)
    }

    pub(super) fn function_type(
        &mut self,
        result: TypeId,
        params: List<ast::Param>,
        kind: ParamKind,
        span: Span,
    ) -> TypeId {
        let mut result = result;
        if matches!(self.program.types.get(result), Type::Array(..) | Type::Function(_)) {
            self.error(span, "function returns an array or a function");
            result = TypeId::INT;
        }
        // `(void)` by another name.
        let params = match *self.ast.get(params) {
            [ref only] if self.is_unnamed_void(only) => List::EMPTY,
            _ => params,
        };
        let mut types = Vec::new();
        // The length of an array may name a parameter before it: `int a[n]`. So may `typeof`.
        let mut shadows = Vec::new();
        let named = self.ast.get(params).iter().any(|param| {
            matches!(self.ast.specs[param.specs].base, TypeSpec::TypeofExpr(_) | TypeSpec::TypeofType(_))
                || self.has_computed_length(param.declarator)
        });
        for param in self.ast.get(params) {
            let ty = self.param_type(param);
            types.push(ty);
            if let (Some(name), true) = (self.ast.declarators[param.declarator].name, named) {
                shadows.push(self.shadow(name, Name::Param(ty)));
            }
        }
        self.unshadow(shadows);
        let (variadic, unprototyped) = match kind {
            ParamKind::Prototype { variadic } => (variadic, false),
            ParamKind::Empty | ParamKind::Names(_) => (false, true),
        };
        self.program.types.intern(Type::Function(FunctionType { result, params: types, variadic, unprototyped }))
    }

    fn is_unnamed_void(&self, param: &ast::Param) -> bool {
        let declarator = self.ast.declarators[param.declarator];
        let TypeSpec::Name(name) = self.ast.specs[param.specs].base else { return false };
        declarator.name.is_none()
            && self.ast.get(declarator.parts).is_empty()
            && matches!(self.names.ordinary(name), Some(Name::Typedef { ty: TypeId::VOID, .. }))
    }

    fn has_computed_length(&self, declarator: ast::DeclaratorId) -> bool {
        let parts = self.ast.get(self.ast.declarators[declarator].parts);
        parts.iter().any(|part| match part {
            Part::Array { length: Some(length), .. } => !matches!(self.ast.exprs[*length].kind, ast::ExprKind::Int(_)),
            _ => false,
        })
    }

    /// A parameter's type after adjustment: arrays and functions become pointers.
    pub(super) fn param_type(&mut self, param: &ast::Param) -> TypeId {
        let base = self.specs_type(param.specs);
        let declared = self.declared_type(base, param.declarator);
        if declared.vla.is_some() {
            return self.program.types.pointer_to(declared.ty);
        }
        if declared.ty == TypeId::VOID {
            self.error(param.span, "a parameter cannot be `void`");
            return TypeId::INT;
        }
        self.adjust_param(declared.ty)
    }

    pub(super) fn adjust_param(&mut self, ty: TypeId) -> TypeId {
        match *self.program.types.get(ty) {
            Type::Array(element, _) => self.program.types.pointer_to(element),
            Type::Function(_) => self.program.types.pointer_to(ty),
            _ => ty,
        }
    }

    pub(super) fn is_record(&self, ty: TypeId) -> bool {
        matches!(self.program.types.get(ty), Type::Record(_))
    }

    fn record_tag(&self, ty: TypeId) -> Option<Symbol> {
        match self.program.types.get(ty) {
            Type::Record(id) => self.program.types.records[*id].tag,
            _ => None,
        }
    }

    pub(super) fn function_type_of(&self, ty: TypeId) -> Option<&FunctionType> {
        match self.program.types.get(ty) {
            Type::Function(function) => Some(function),
            _ => None,
        }
    }

    /// Whether two types are compatible (C11 6.2.7). Records of different files are compatible when they look alike.
    pub(super) fn compatible(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        let types = &self.program.types;
        match (types.get(a), types.get(b)) {
            (Type::Pointer(a), Type::Pointer(b)) => self.compatible(*a, *b),
            (Type::Array(a, m), Type::Array(b, n)) => self.compatible(*a, *b) && (m.is_none() || n.is_none() || m == n),
            (Type::Record(a), Type::Record(b)) => {
                let (a, b) = (&types.records[*a], &types.records[*b]);
                a.kind == b.kind
                    && a.tag == b.tag
                    && (!a.complete || !b.complete || (a.size == b.size && a.fields.len() == b.fields.len()))
                    // Without a tag, two files mean the same type if its members are the same (C11 6.2.7).
                    && (a.tag.is_some()
                        || a.fields.iter().zip(&b.fields).all(|(a, b)| a.name == b.name && self.compatible(a.ty, b.ty)))
            }
            (Type::Function(a), Type::Function(b)) => {
                self.compatible(a.result, b.result)
                    && (a.unprototyped
                        || b.unprototyped
                        || (a.variadic == b.variadic
                            && a.params.len() == b.params.len()
                            && a.params.iter().zip(&b.params).all(|(a, b)| self.compatible(*a, *b))))
            }
            _ => false,
        }
    }
}

fn lengths(parts: &[Part]) -> Vec<Option<ast::ExprId>> {
    parts.iter().map(|part| if let Part::Array { length, .. } = part { *length } else { None }).collect()
}
