//! Circuits for sums, products, quotients and comparisons. Vectors have the least significant bit first.

use crate::aig::{Aig, Lit};

/// `a + b + carry`, and the carry out of the top.
pub fn add_carry(aig: &mut Aig, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
    let mut sum = Vec::with_capacity(a.len());
    for (x, y) in a.iter().zip(b) {
        let (bit, next) = aig.full_adder(*x, *y, carry);
        sum.push(bit);
        carry = next;
    }
    (sum, carry)
}

pub fn add(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    add_carry(aig, a, b, Lit::FALSE).0
}

pub fn invert(a: &[Lit]) -> Vec<Lit> {
    a.iter().map(|lit| !*lit).collect()
}

pub fn sub(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    add_carry(aig, a, &invert(b), Lit::TRUE).0
}

pub fn neg(aig: &mut Aig, a: &[Lit]) -> Vec<Lit> {
    sub(aig, &vec![Lit::FALSE; a.len()], a)
}

/// The carry chain of `a - b`, so that a comparison and a subtraction of the same terms share their gates.
pub fn ult(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let mut carry = Lit::TRUE;
    for (x, y) in a.iter().zip(b) {
        carry = aig.full_adder(*x, !*y, carry).1;
    }
    !carry
}

pub fn slt(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    // With the sign bits flipped the signed order is the unsigned one.
    let flip = |v: &[Lit]| {
        let mut flipped = v.to_vec();
        let top = flipped.len() - 1;
        flipped[top] = !flipped[top];
        flipped
    };
    ult(aig, &flip(a), &flip(b))
}

pub fn eq(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Lit {
    let same: Vec<Lit> = a.iter().zip(b).map(|(x, y)| !aig.xor(*x, *y)).collect();
    aig.and_all(&same)
}

pub fn mux(aig: &mut Aig, c: Lit, t: &[Lit], e: &[Lit]) -> Vec<Lit> {
    t.iter().zip(e).map(|(t, e)| aig.mux(c, *t, *e)).collect()
}

/// One row of a multiplication: `± lit · other · 2^position`.
#[derive(Clone, Copy)]
struct Digit {
    position: usize,
    lit: Lit,
    negative: bool,
}

/// The vector as signed digits. Constants are recoded so that few digits remain (canonical signed digits); a sign
/// extension, which is a run of one literal at the top, is a single negative digit.
fn digits(a: &[Lit]) -> Vec<Digit> {
    if a.iter().all(|lit| lit.is_const()) {
        return constant_digits(a);
    }
    let top = a[a.len() - 1];
    let run = a.iter().rev().take_while(|lit| **lit == top).count();
    let plain = a.len() - run;
    let positive = |(position, lit): (usize, &Lit)| Digit { position, lit: *lit, negative: false };
    let mut result: Vec<Digit> = a[..plain].iter().enumerate().map(positive).collect();
    result.push(Digit { position: plain, lit: top, negative: run > 1 });
    result.retain(|digit| digit.lit != Lit::FALSE);
    result
}

fn constant_digits(a: &[Lit]) -> Vec<Digit> {
    let mut result = Vec::new();
    let mut carry = false;
    for position in 0..a.len() {
        let bit = a[position] == Lit::TRUE;
        let next = a.get(position + 1) == Some(&Lit::TRUE);
        if bit == carry {
            continue;
        }
        // An odd rest: take -1 if the next bit is set, so that it becomes a run of zeros.
        result.push(Digit { position, lit: Lit::TRUE, negative: next });
        carry = next;
    }
    result
}

/// Shift and add, row by row from the low end: the low bits of a wider product are the gates of the narrower one.
pub fn mul(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    let (a_digits, b_digits) = (digits(a), digits(b));
    let swap = (b_digits.len(), b) < (a_digits.len(), a);
    let (rows, other) = if swap { (b_digits, a) } else { (a_digits, b) };
    let width = a.len();
    let mut sum = vec![Lit::FALSE; width];
    for digit in rows {
        let row: Vec<Lit> = other[..width - digit.position].iter().map(|lit| aig.and(*lit, digit.lit)).collect();
        let high = &sum[digit.position..];
        let new = if digit.negative { sub(aig, high, &row) } else { add(aig, high, &row) };
        sum.truncate(digit.position);
        sum.extend(new);
    }
    sum
}

/// Restoring division: quotient and remainder. By zero it gives all ones and the dividend by itself.
pub fn div_rem(aig: &mut Aig, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let width = a.len();
    // `above[k]`: no bit of the divisor from k up is set.
    let mut above = vec![Lit::TRUE; width + 1];
    for k in (0..width).rev() {
        above[k] = aig.and(above[k + 1], !b[k]);
    }
    let mut quotient = vec![Lit::FALSE; width];
    let mut rest: Vec<Lit> = Vec::with_capacity(width);
    for k in (0..width).rev() {
        rest.insert(0, a[k]);
        let (difference, carry) = add_carry(aig, &rest, &invert(&b[..rest.len()]), Lit::TRUE);
        let fits = aig.and(carry, above[rest.len()]);
        rest = mux(aig, fits, &difference, &rest);
        quotient[k] = fits;
    }
    (quotient, rest)
}
