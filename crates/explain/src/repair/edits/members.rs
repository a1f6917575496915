//! Another member of the same type: `p->next` for `p->previous`.

use super::{Edit, Kind, MAX_OTHERS, Place};
use cfa::types::Record;
use frontend::TokenKind;

impl Place<'_> {
    pub(super) fn members(&self, edits: &mut Vec<Edit>) {
        for pair in self.tokens.windows(2) {
            let [dot, word] = [pair[0], pair[1]];
            if word.kind != TokenKind::Word || !matches!(self.text(dot).as_str(), "." | "->") {
                continue;
            }
            let name = self.text(word);
            let Some(symbol) = self.program.names.lookup(&name) else { continue };
            let member =
                |record: &Record| record.fields.iter().find(|field| field.name == Some(symbol)).map(|field| field.ty);
            let mut others: Vec<String> = Vec::new();
            for record in self.program.types.records.values() {
                let Some(ty) = member(record) else { continue };
                let same = record.fields.iter().filter(|field| field.ty == ty && field.name != Some(symbol));
                others.extend(same.filter_map(|field| Some(self.program.name(field.name?).to_string())));
            }
            others.sort();
            others.dedup();
            for other in others.into_iter().take(MAX_OTHERS) {
                let what = format!("`{other}` instead of `{name}`");
                edits.push(Edit::replace(Kind::Variable, word.span.lo, word.span.hi, other, what));
            }
        }
    }
}
