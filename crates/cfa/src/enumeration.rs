//! The enumerations of a program, and which variables and members have their types. Types are integers; the names are for people only.

use crate::expr::{PlaceId, PlaceKind};
use crate::program::{Program, VarId};
use crate::types::{RecordId, Type};
use base::Symbol;
use std::collections::{BTreeMap, HashMap};

/// The constants of an enumeration by their values; of several with one value, the first.
pub type Constants = BTreeMap<i128, Symbol>;

#[derive(Clone, Default)]
pub struct Enumerations {
    all: Vec<Constants>,
    vars: HashMap<VarId, usize>,
    /// By the name of the member.
    members: HashMap<(RecordId, Symbol), usize>,
}

impl Enumerations {
    /// The number of an enumeration with these constants.
    pub fn add(&mut self, constants: Constants) -> usize {
        if let Some(known) = self.all.iter().position(|known| *known == constants) {
            return known;
        }
        self.all.push(constants);
        self.all.len() - 1
    }

    /// The variable, or the elements of the array, are of an enumeration.
    pub fn of_var(&mut self, var: VarId, enumeration: usize) {
        self.vars.insert(var, enumeration);
    }

    /// All names with their numbers; one name can stand for several.
    pub fn names(&self) -> impl Iterator<Item = (Symbol, i128)> + '_ {
        self.all.iter().flatten().map(|(number, name)| (*name, *number))
    }

    pub fn of_member(&mut self, record: RecordId, name: Symbol, enumeration: usize) {
        self.members.insert((record, name), enumeration);
    }
}

impl Program {
    /// The enumeration that a variable is declared with.
    pub fn enumeration_of_var(&self, var: VarId) -> Option<&Constants> {
        self.enumerations.vars.get(&var).map(|number| &self.enumerations.all[*number])
    }

    /// The enumeration that a place is declared with. Through a pointer nothing is known.
    pub fn enumeration_of(&self, place: PlaceId) -> Option<&Constants> {
        match self.places[place].kind {
            PlaceKind::Var(var) => self.enumeration_of_var(var),
            PlaceKind::Index(base, _) => self.enumeration_of(base),
            PlaceKind::Deref(_) => None,
            PlaceKind::Field(base, field) => {
                let Type::Record(record) = *self.types.get(self.places[base].ty) else { return None };
                let name = self.types.records[record].fields[field as usize].name?;
                self.enumerations.members.get(&(record, name)).map(|number| &self.enumerations.all[*number])
            }
        }
    }
}
