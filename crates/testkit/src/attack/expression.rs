//! Random expressions without side effects over what is in scope.

use super::generate::Generator;
use super::scope::{BOOL, TYPES};

const CONSTANTS: &[&str] =
    &["0", "1", "2", "3", "4", "7", "8", "-1", "-2", "127", "128", "255", "256", "65535", "1000", "0x80000000u"];
/// Where overflows are asked about: constants near the limits.
const LARGE: &[&str] = &["2147483647", "2147483646", "-2147483647", "1073741824", "65536", "46341", "1", "2"];

impl Generator<'_> {
    pub fn constant(&mut self) -> String {
        match self.flavour.overflows && self.random.below(3) == 0 {
            true => self.pick(LARGE).to_string(),
            false => self.pick(CONSTANTS).to_string(),
        }
    }

    /// An object's value: its text, and its type.
    pub fn readable(&mut self) -> (String, usize) {
        for _ in 0..4 {
            match self.random.below(8) {
                0 | 1 if !self.scope.arrays.is_empty() => {
                    let (text, ty) = self.element();
                    return (text, ty);
                }
                2 | 3 => {
                    if let Some((text, ty)) = self.dereference() {
                        return (text, ty);
                    }
                }
                _ if !self.scope.scalars.is_empty() => {
                    let scalar = &self.scope.scalars[self.random.below(self.scope.scalars.len())];
                    return (scalar.text.clone(), scalar.ty);
                }
                _ => {}
            }
        }
        ("1".to_string(), 0)
    }

    /// An element of an array, by an index within it.
    pub fn element(&mut self) -> (String, usize) {
        let array = self.scope.arrays[self.random.below(self.scope.arrays.len())].clone();
        let index = match self.random.below(3) {
            0 => self.random.below(array.length).to_string(),
            _ => {
                let index = self.simple();
                // Outside by a little, where bounds are asked about: within the red zones of the sanitizer.
                let mask = match self.flavour.bounds && self.random.below(3) == 0 {
                    true => array.length * 2 - 1,
                    false => array.length - 1,
                };
                format!("({index}) & {mask}")
            }
        };
        (format!("{}[{index}]", array.name), array.ty)
    }

    /// What a pointer points to; only while it is alive, unless dangling pointers are wanted.
    pub fn dereference(&mut self) -> Option<(String, usize)> {
        let dangling = self.flavour.dangling && self.random.below(3) == 0;
        let usable = self.scope.pointers.iter().filter(|pointer| pointer.target.is_some() || dangling);
        let usable: Vec<(String, usize)> =
            usable.map(|pointer| (format!("*{}", pointer.name), pointer.pointee)).collect();
        (!usable.is_empty()).then(|| usable[self.random.below(usable.len())].clone())
    }

    /// A constant or a scalar.
    pub fn simple(&mut self) -> String {
        match self.random.below(4) == 0 || self.scope.scalars.is_empty() {
            true => self.constant(),
            false => self.scope.scalars[self.random.below(self.scope.scalars.len())].text.clone(),
        }
    }

    pub fn expression(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(5) == 0 {
            return match self.random.below(3) {
                0 => self.constant(),
                _ => self.readable().0,
            };
        }
        let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.random.below(14) {
            0..=4 => format!("({left} {} {right})", self.pick(&["+", "-", "*", "^", "&", "|"])),
            5 | 6 => format!("({left} {} {right})", self.pick(&["<", "<=", "==", "!=", ">"])),
            7 => {
                let mask = if self.flavour.shifts && self.random.below(2) == 0 { 63 } else { 7 };
                format!("({left} {} ({right} & {mask}))", self.pick(&["<<", ">>"]))
            }
            8 => {
                let operator = self.pick(&["/", "%"]);
                match self.flavour.divisions && self.random.below(2) == 0 {
                    true => format!("({left} {operator} ({right} & 7))"),
                    false => format!("({left} {operator} (({right} & 7) + 1))"),
                }
            }
            9 => format!("({left} ? {right} : {})", self.simple()),
            10 | 11 => format!("(({}) {left})", TYPES[self.random.below(TYPES.len())].name),
            12 => format!("({} {left})", self.pick(&["-", "~", "!"])),
            _ => format!("({left} {} {right})", self.pick(&["&&", "||"])),
        }
    }

    pub fn condition(&mut self) -> String {
        if self.random.below(3) == 0
            && let Some(comparison) = self.pointer_comparison()
        {
            return comparison;
        }
        let (left, right) = (self.recent(), self.expression(1));
        match self.random.below(6) {
            0 => format!("{left} & {}", self.pick(&["1", "2"])),
            1 => format!("{} && {right}", self.readable().0),
            2 => format!("{left} {} {right}", self.pick(&["<", ">", "==", "!=", "<="])),
            3 => self.readable().0,
            _ => format!("{left} {} {}", self.pick(&["<", ">", "==", "!="]), self.random.below(4)),
        }
    }

    /// Whether two pointers, both to living objects, are equal.
    fn pointer_comparison(&mut self) -> Option<String> {
        let alive: Vec<(String, usize)> = self
            .scope
            .pointers
            .iter()
            .filter(|pointer| pointer.target.is_some())
            .map(|pointer| (pointer.name.clone(), pointer.pointee))
            .collect();
        if alive.is_empty() {
            return None;
        }
        let (name, pointee) = alive[self.random.below(alive.len())].clone();
        let (other, _) = self.address(pointee, None).filter(|(other, _)| *other != name)?;
        Some(format!("{name} {} {other}", self.pick(&["==", "!="])))
    }

    /// An input, or one of the scalars that came into scope last.
    fn recent(&mut self) -> String {
        let count = self.scope.scalars.len();
        let inputs: Vec<&str> = self
            .scope
            .scalars
            .iter()
            .map(|scalar| scalar.text.as_str())
            .filter(|text| text.starts_with("in"))
            .collect();
        match count {
            0 => self.constant(),
            _ if !inputs.is_empty() && self.random.below(2) == 0 => inputs[self.random.below(inputs.len())].to_string(),
            _ => self.scope.scalars[count - 1 - self.random.below(count.min(4))].text.clone(),
        }
    }

    /// A place to assign to, and its type.
    pub fn assignable(&mut self) -> Option<(String, usize)> {
        for _ in 0..6 {
            match self.random.below(6) {
                0 if !self.scope.arrays.is_empty() => return Some(self.element()),
                1 | 2 => {
                    if let Some(found) = self.dereference() {
                        return Some(found);
                    }
                }
                _ => {
                    let usable: Vec<(String, usize)> = self
                        .scope
                        .scalars
                        .iter()
                        .filter(|scalar| scalar.assignable)
                        .map(|scalar| (scalar.text.clone(), scalar.ty))
                        .collect();
                    if !usable.is_empty() {
                        return Some(usable[self.random.below(usable.len())].clone());
                    }
                }
            }
        }
        None
    }

    /// The address of an object of a type that lives at least as long as `longest` says, and the depth of its block.
    pub fn address(&mut self, pointee: usize, longest: Option<usize>) -> Option<(String, usize)> {
        let fits = |ty: usize, depth: usize| ty == pointee && longest.is_none_or(|longest| depth <= longest);
        let mut targets = Vec::new();
        for scalar in &self.scope.scalars {
            if scalar.addressable && scalar.assignable && fits(scalar.ty, scalar.depth) {
                targets.push((format!("&{}", scalar.text), scalar.depth));
            }
        }
        for array in self.scope.arrays.clone() {
            if fits(array.ty, array.depth) {
                targets.push((format!("&{}[{}]", array.name, self.random.below(array.length)), array.depth));
                targets.push((array.name.clone(), array.depth));
            }
        }
        for pointer in &self.scope.pointers {
            if let Some(target) = pointer.target.filter(|target| fits(pointer.pointee, *target)) {
                targets.push((pointer.name.clone(), target));
            }
        }
        // Objects of inner blocks are the interesting ones.
        targets.sort_by_key(|(_, depth)| *depth);
        let from = if self.random.below(2) == 0 { targets.len() / 2 } else { 0 };
        let choices = targets.len() - from;
        (choices > 0).then(|| targets[from + self.random.below(choices)].clone())
    }

    /// A type for a new object. Reading `_Bool` through anything else has pitfalls of its own, so it is never pointed to.
    pub fn some_type(&mut self) -> usize {
        match self.random.below(2) {
            0 => self.random.below(5),
            _ => self.random.below(TYPES.len()),
        }
    }

    pub fn initial(&mut self, ty: usize) -> String {
        match ty {
            BOOL => format!("({}) != 0", self.simple()),
            _ => self.expression(1),
        }
    }
}
