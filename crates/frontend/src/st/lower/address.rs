//! Addresses, as `%IX0.0`: variables at the same one are the same variable, and one that is only named in expressions is a variable too.
//!
//! Whether `%MW0` and `%MX0.0` share bits depends on the controller. Where they do on some, memory of that kind (`%M`) is not supported, in SCL all of it; inputs
//! and outputs of different sizes are places of their own elsewhere.

use super::super::ast::{Name, TypeExpr, TypeKind, VarBlock, VarClass, VarDecl, key};
use super::Lower;
use super::types::Ty;
use super::vars::Slot;

/// A variable at an address.
pub struct Located {
    pub address: String,
    pub name: Name,
    pub slot: Slot,
}

/// What an address names.
#[derive(PartialEq)]
struct Address {
    /// `I`, `Q` or `M`.
    area: char,
    bits: u64,
    numbers: Vec<u64>,
}

impl Address {
    /// `None` for `%I*`, which is somewhere, and for what only one manufacturer knows.
    fn parse(text: &str) -> Option<Address> {
        let mut letters = text.strip_prefix('%')?.chars();
        let area = letters.next().filter(|area| matches!(area, 'I' | 'Q' | 'M'))?;
        let rest = letters.as_str();
        let bits = match rest.chars().next()? {
            'X' => 1,
            'B' => 8,
            'W' => 16,
            'D' => 32,
            'L' => 64,
            '0'..='9' => 1,
            _ => return None,
        };
        let digits = rest.trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let numbers: Option<Vec<u64>> = digits.split('.').map(|number| number.parse().ok()).collect();
        Some(Address { area, bits, numbers: numbers? })
    }

    /// The bits that it may have: counted in units of its own size, or in bytes.
    fn ranges(&self) -> Vec<(u64, u64)> {
        match self.numbers[..] {
            [number] if self.bits > 1 => {
                vec![(number * self.bits, (number + 1) * self.bits), (number * 8, number * 8 + self.bits)]
            }
            [number] => vec![(number, number + 1), (number * 8, number * 8 + 1)],
            [unit, bit] if self.bits == 1 => {
                vec![(unit * 8 + bit, unit * 8 + bit + 1), (unit * 16 + bit, unit * 16 + bit + 1)]
            }
            // Racks and modules: nothing is known.
            _ => vec![(0, u64::MAX)],
        }
    }

    /// Whether two addresses share bits on some controller.
    fn overlaps(&self, other: &Address, by_bytes: bool) -> bool {
        if self.area != other.area || self == other || !by_bytes && self.area != 'M' {
            return false;
        }
        if self.bits == other.bits && (!by_bytes || self.bits == 1) {
            return false;
        }
        let ranges = |address: &Address| match by_bytes {
            true => address.ranges().into_iter().skip(usize::from(address.bits > 1)).take(1).collect(),
            false => address.ranges(),
        };
        let (own, others): (Vec<_>, Vec<_>) = (ranges(self), ranges(other));
        own.iter().any(|(low, high)| others.iter().any(|(from, to)| low < to && from < high))
    }

    fn type_name(&self) -> &'static str {
        match self.bits {
            1 => "BOOL",
            8 => "BYTE",
            16 => "WORD",
            32 => "DWORD",
            _ => "LWORD",
        }
    }
}

impl Lower<'_> {
    /// Before variables are declared: which addresses share bits with others.
    pub fn find_overlaps(&mut self) {
        let unit = self.unit;
        let blocks = unit.globals.iter().chain(unit.pous.iter().flat_map(|pou| &pou.blocks));
        let declared = blocks.flat_map(|block| &block.vars).filter_map(|decl| decl.address.as_ref());
        let mut all: Vec<(String, Address)> = Vec::new();
        for name in declared.chain(&unit.addresses) {
            let text = key(&name.text);
            if let Some(address) = Address::parse(&text)
                && !all.iter().any(|(known, _)| *known == text)
            {
                all.push((text, address));
            }
        }
        for (text, address) in &all {
            if all.iter().any(|(_, other)| address.overlaps(other, self.by_bytes)) {
                self.overlapping.insert(text.clone());
            }
        }
    }

    /// Addresses that expressions name and no declaration gives to a variable.
    pub fn declare_addresses(&mut self) {
        let unit = self.unit;
        let block = VarBlock { class: VarClass::Global, constant: false, vars: Vec::new() };
        for name in &unit.addresses {
            let text = key(&name.text);
            let Some(address) = Address::parse(&text) else { continue };
            if self.located.iter().any(|one| one.address == text) {
                continue;
            }
            let of_type = Name { text: address.type_name().into(), span: name.span };
            let ty = TypeExpr { kind: TypeKind::Named(of_type), span: name.span };
            let own = Name { text: text.clone(), span: name.span };
            let decl = VarDecl { name: own, ty, init: None, address: Some(name.clone()), edge: None };
            self.static_slot(text, &block, &decl);
        }
    }

    /// The variable that is at an address already, if it can be this one too.
    pub fn at_address(&mut self, address: &Name, ty: &Ty) -> Option<Slot> {
        let text = key(&address.text);
        if self.overlapping.contains(&text) {
            return Some(Slot::Unsupported("address that shares bits with another one"));
        }
        Address::parse(&text)?;
        let known = self.located.iter().find(|one| one.address == text)?.slot.clone();
        match &known {
            Slot::Place { ty: other, .. } if other != ty => {
                Some(Slot::Unsupported("address of variables of several types"))
            }
            _ => Some(known),
        }
    }

    /// Remembers where a variable is.
    pub fn locate(&mut self, address: &Name, name: &Name, slot: &Slot) {
        self.located.push(Located { address: key(&address.text), name: name.clone(), slot: slot.clone() });
    }

    /// The variables at addresses that begin in this way.
    pub fn located_in(&self, area: &str) -> Vec<(Name, Slot)> {
        let found = self.located.iter().filter(|one| one.address.starts_with(area));
        found.map(|one| (one.name.clone(), one.slot.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_share_bits() {
        let overlap = |a: &str, b: &str, by_bytes| {
            let address = |text| Address::parse(text).expect("an address");
            address(a).overlaps(&address(b), by_bytes)
        };
        assert!(overlap("%MW0", "%MX0.0", false));
        assert!(overlap("%MW1", "%MX2.0", false) && overlap("%MW1", "%MX1.3", false));
        assert!(!overlap("%MW0", "%MX4.0", false) && !overlap("%MW0", "%MW1", false));
        assert!(!overlap("%IW0", "%IX0.0", false) && overlap("%IW0", "%IX0.0", true));
        assert!(overlap("%MW0", "%MW1", true) && !overlap("%MW0", "%MW2", true));
        assert!(!overlap("%M0.0", "%M0.1", true) && !overlap("%MW2", "%QW2", true));
        assert!(Address::parse("%I*").is_none());
    }
}
