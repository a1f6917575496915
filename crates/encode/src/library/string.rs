//! Strings of `string.h`.

use super::bytes::{MAX_BYTES, MAX_PAIRS, Text};
use super::{Answer, Invocation};
use crate::exec::Run;
use crate::state::State;
use crate::targets::Purpose;
use crate::unrolling::{FillPart, FillPlace};
use crate::value::{OFFSET_BITS, SymbolicValue};
use cfa::library::LibFn;
use logic::TermId;

impl Run<'_, '_> {
    pub(super) fn string(&mut self, state: &mut State, call: &mut Invocation, meaning: LibFn) -> Option<Answer> {
        let first = call.pointer(0)?;
        let always = self.pool().bool(true);
        let value = match meaning {
            LibFn::Strlen => {
                let text = self.string_at(state, call, first);
                SymbolicValue::Bits(self.length(&text))
            }
            LibFn::Strnlen => {
                let limit = self.size_argument(call, 1)?;
                let text = self.text(state, call, first, Some(limit), always);
                SymbolicValue::Bits(self.length(&text))
            }
            LibFn::Strcpy | LibFn::Stpcpy => {
                let from = call.pointer(1)?;
                let text = self.string_at(state, call, from);
                let length = self.length(&text);
                let one = self.pool().bv(OFFSET_BITS, 1);
                let size = self.pool().bv_add(length, one);
                let overlap = self.overlap(first, size, from, size);
                self.misuse(state, overlap);
                self.put_string(state, first, &text);
                if meaning == LibFn::Stpcpy { self.displaced(first, length) } else { first }
            }
            LibFn::Strncpy => {
                let (from, size) = (call.pointer(1)?, self.size_argument(call, 2)?);
                let text = self.text(state, call, from, Some(size), always);
                self.put_padded(state, call, first, &text, size);
                first
            }
            LibFn::Strcat | LibFn::Strncat => {
                let limit = if meaning == LibFn::Strncat { Some(self.size_argument(call, 2)?) } else { None };
                let text = self.text(state, call, call.pointer(1)?, limit, always);
                let before = self.string_at(state, call, first);
                let length = self.length(&before);
                let end = self.displaced(first, length);
                self.put_string(state, end, &text);
                first
            }
            LibFn::Strcmp | LibFn::Strncmp | LibFn::Strcasecmp | LibFn::Strncasecmp => {
                let limit = match meaning {
                    LibFn::Strncmp | LibFn::Strncasecmp => Some(self.size_argument(call, 2)?),
                    _ => None,
                };
                let fold = matches!(meaning, LibFn::Strcasecmp | LibFn::Strncasecmp);
                SymbolicValue::Bits(self.compare_strings(state, call, first, call.pointer(1)?, limit, fold))
            }
            LibFn::Strchr | LibFn::Strchrnul | LibFn::Strrchr => {
                let wanted = call.number(1)?;
                let wanted = self.pool().extract(wanted, 7, 0);
                let text = self.string_at(state, call, first);
                self.character_in(&text, first, wanted, meaning)
            }
            LibFn::Strstr => {
                let (text, wanted) =
                    (self.string_at(state, call, first), self.string_at(state, call, call.pointer(1)?));
                let places = self.places_of(&text, &wanted)?;
                let found = self.first_place(first, &places);
                self.or_null(found)
            }
            LibFn::Strdup | LibFn::Strndup => {
                let limit = if meaning == LibFn::Strndup { Some(self.size_argument(call, 1)?) } else { None };
                let text = self.text(state, call, first, limit, always);
                let length = self.length(&text);
                let one = self.pool().bv(OFFSET_BITS, 1);
                let size = self.pool().bv_add(length, one);
                let copy = self.new_text_allocation(state, size, text.bytes.len() as u64 + 1);
                self.put_string(state, copy, &text);
                copy
            }
            _ => {
                let (text, set) = (self.string_at(state, call, first), self.string_at(state, call, call.pointer(1)?));
                let taken = self.prefix_of(&text, &set, meaning == LibFn::Strspn)?;
                let length = self.first_failing(&taken);
                match meaning {
                    LibFn::Strpbrk => {
                        let all = self.length(&text);
                        let found = self.pool().ne(length, all);
                        let place = self.displaced(first, length);
                        self.or_null((place, found))
                    }
                    _ => SymbolicValue::Bits(length),
                }
            }
        };
        Some(Answer::SymbolicValue(value))
    }

    /// A string and its end.
    fn put_string(&mut self, state: &mut State, to: SymbolicValue, text: &Text) {
        let always = self.pool().bool(true);
        let length = self.length(text);
        let one = self.pool().bv(OFFSET_BITS, 1);
        let size = self.pool().bv_add(length, one);
        let place = self.range(state, to, size, Purpose::Write, always);
        let zero = self.pool().bv(8, 0);
        let mut bytes = Vec::new();
        // The byte behind the last one that is inside is the end; further ones stay.
        let mut written = always;
        for (byte, inside) in text.bytes.iter().zip(&text.inside) {
            let byte = self.pool().ite(*inside, *byte, zero);
            bytes.push((byte, written));
            written = *inside;
        }
        bytes.push((zero, written));
        self.put(state, &place, &bytes);
    }

    /// A string filled up with zeros, or cut off, to a size.
    fn put_padded(&mut self, state: &mut State, call: &Invocation, to: SymbolicValue, text: &Text, size: TermId) {
        let always = self.pool().bool(true);
        let place = self.range(state, to, size, Purpose::Write, always);
        let zero = self.pool().bv(8, 0);
        let count = self.room(state, &place).unwrap_or(MAX_BYTES).min(MAX_BYTES);
        let mut bytes = Vec::new();
        for at in 0..count {
            let written = self.below(always, at, Some(size));
            let byte = match (text.bytes.get(at as usize), text.inside.get(at as usize)) {
                (Some(byte), Some(inside)) => self.pool().ite(*inside, *byte, zero),
                _ => zero,
            };
            bytes.push((byte, written));
        }
        let more = self.below(always, count, Some(size));
        self.beyond_limit(state, call, more);
        self.put(state, &place, &bytes);
    }

    /// The difference of the first bytes that differ; reading ends there on both sides.
    fn compare_strings(
        &mut self,
        state: &mut State,
        call: &Invocation,
        left: SymbolicValue,
        right: SymbolicValue,
        limit: Option<TermId>,
        fold: bool,
    ) -> TermId {
        let always = self.pool().bool(true);
        let mut reached = self.below(always, 0, limit);
        let (mut a, mut b) = (self.reader(state, left, reached), self.reader(state, right, reached));
        let mut differences = Vec::new();
        for at in 0..MAX_BYTES {
            if self.pool().as_bool(reached) == Some(false) {
                break;
            }
            let (x, here) = self.next_byte(state, &mut a, at, reached);
            let (y, here) = self.next_byte(state, &mut b, at, here);
            let (x, y) = if fold { (self.folded(x), self.folded(y)) } else { (x, y) };
            let differ = self.pool().ne(x, y);
            let differ = self.pool().and(here, differ);
            let (wide_x, wide_y) = (self.pool().zext(x, 32), self.pool().zext(y, 32));
            differences.push((differ, self.pool().bv_sub(wide_x, wide_y)));
            let (same, zero) = (self.pool().eq(x, y), self.pool().bv(8, 0));
            let more = self.pool().ne(x, zero);
            let on = self.pool().and_all(&[here, same, more]);
            reached = self.below(on, at + 1, limit);
        }
        self.finish(state, a);
        self.finish(state, b);
        self.beyond_limit(state, call, reached);
        let difference = self.first_difference(&differences);
        self.ordering(state, call, difference)
    }

    /// The result of a comparison has only its sign from the standard, so it is any value of that sign.
    pub(super) fn ordering(&mut self, state: &State, call: &Invocation, difference: TermId) -> TermId {
        let Some(offered) = self.offered(state, call, difference) else { return difference };
        let zero = self.pool().bv(32, 0);
        let (below, above) = (self.pool().slt(difference, zero), self.pool().slt(zero, difference));
        let (offers_below, offers_above) = (self.pool().slt(offered, zero), self.pool().slt(zero, offered));
        let (below, above) = (self.pool().and(below, offers_below), self.pool().and(above, offers_above));
        let fits = self.pool().or(below, above);
        self.pool().ite(fits, offered, difference)
    }

    /// The answer to a question that is 0 or anything else.
    pub(super) fn nonzero(&mut self, state: &State, call: &Invocation, answer: TermId) -> TermId {
        let Some(offered) = self.offered(state, call, answer) else { return answer };
        let zero = self.pool().bv(32, 0);
        let (yes, offers) = (self.pool().ne(answer, zero), self.pool().ne(offered, zero));
        let fits = self.pool().and(yes, offers);
        self.pool().ite(fits, offered, answer)
    }

    /// What the result may be instead of a value that is not zero; `None` if it is zero or the result is not used.
    fn offered(&mut self, state: &State, call: &Invocation, value: TermId) -> Option<TermId> {
        let zero = self.pool().bv(32, 0);
        let yes = self.pool().ne(value, zero);
        let never = self.pool().as_bool(yes) == Some(false);
        if call.result.is_none() || never || !self.happens(yes) {
            return None;
        }
        let name = self.fresh_name("magnitude");
        let offered = self.pool().bv_var(&name, 32);
        let guard = state.guard.term(self.pool());
        let guard = self.pool().and(guard, yes);
        let scalars = vec![(0, 4, offered)];
        let part = FillPart { guard, scalars, bit_fields: Vec::new(), arrays: Vec::new() };
        self.note_part(FillPlace::Result(self.edge), 4, part);
        Some(offered)
    }

    /// The first of some values whose condition holds, or 0.
    pub(super) fn first_difference(&mut self, differences: &[(TermId, TermId)]) -> TermId {
        let mut result = self.pool().bv(32, 0);
        for (differ, difference) in differences.iter().rev() {
            result = self.pool().ite(*differ, *difference, result);
        }
        result
    }

    fn character_in(&mut self, text: &Text, start: SymbolicValue, wanted: TermId, meaning: LibFn) -> SymbolicValue {
        let mut hits = Vec::new();
        let mut looked_at = self.pool().bool(true);
        let zero = self.pool().bv(8, 0);
        // The end counts as a character, too.
        for (byte, inside) in text.bytes.iter().zip(&text.inside) {
            let byte = self.pool().ite(*inside, *byte, zero);
            let equal = self.pool().eq(byte, wanted);
            hits.push(self.pool().and(looked_at, equal));
            looked_at = *inside;
        }
        match meaning {
            LibFn::Strrchr => {
                let mut result = SymbolicValue::null(self.pool());
                for (at, hit) in hits.iter().enumerate() {
                    let at = self.pool().bv(OFFSET_BITS, at as u128);
                    let place = self.displaced(start, at);
                    result = SymbolicValue::ite(self.pool(), *hit, place, result);
                }
                result
            }
            LibFn::Strchrnul => {
                let (place, found) = self.first_place(start, &hits);
                let length = self.length(text);
                let end = self.displaced(start, length);
                SymbolicValue::ite(self.pool(), found, place, end)
            }
            _ => {
                let found = self.first_place(start, &hits);
                self.or_null(found)
            }
        }
    }

    /// Where a string occurs in another; `None` if that is too large a question.
    fn places_of(&mut self, text: &Text, wanted: &Text) -> Option<Vec<TermId>> {
        if text.bytes.len() * wanted.bytes.len() > MAX_PAIRS {
            return None;
        }
        let mut places = Vec::new();
        for at in 0..text.bytes.len() {
            // Nothing starts behind the end.
            let mut all = match at {
                0 => self.pool().bool(true),
                _ => text.inside[at - 1],
            };
            for (distance, (byte, needed)) in wanted.bytes.iter().zip(&wanted.inside).enumerate() {
                let position = at + distance;
                let fits = match (text.bytes.get(position), text.inside.get(position)) {
                    (Some(own), Some(inside)) => {
                        let equal = self.pool().eq(*own, *byte);
                        self.pool().and(equal, *inside)
                    }
                    _ => self.pool().bool(false),
                };
                let fits = self.pool().implies(*needed, fits);
                all = self.pool().and(all, fits);
            }
            places.push(all);
        }
        Some(places)
    }

    /// Which bytes belong to the longest prefix inside, or outside, a set; `None` if that is too large a question.
    fn prefix_of(&mut self, text: &Text, set: &Text, members: bool) -> Option<Vec<TermId>> {
        if text.bytes.len() * set.bytes.len() > MAX_PAIRS {
            return None;
        }
        let mut taken = Vec::new();
        let mut before = self.pool().bool(true);
        for (byte, inside) in text.bytes.iter().zip(&text.inside) {
            let mut hits = Vec::new();
            for (member, valid) in set.bytes.iter().zip(&set.inside) {
                let equal = self.pool().eq(*byte, *member);
                hits.push(self.pool().and(equal, *valid));
            }
            let is_member = self.pool().or_all(&hits);
            let wanted = if members { is_member } else { self.pool().not(is_member) };
            before = self.pool().and_all(&[before, *inside, wanted]);
            taken.push(before);
        }
        Some(taken)
    }
}
