//! The loop that runs bytecode: one arm an instruction, nothing else. Macros stand for what a function could not be: each access borrows
//! the machine anew, and each can stop the run.

use super::code::*;
use super::machine::{Machine, Stop};
use super::*;

impl Machine<'_> {
    /// Runs the current frame until another one is to be run. On an error, `at` is the instruction that made it.
    pub(super) fn execute_frame(&mut self, code: &Code, base: usize, at: &mut usize) -> Result<(), Stop> {
        let instrs = &code.instrs[..];
        let mut pc = *at;

        // A macro, not a method: the borrow of `self` must end with each access.
        macro_rules! r {
            ($slot:expr) => {
                self.slots[base + $slot as usize]
            };
        }
        macro_rules! stop {
            ($stop:expr) => {{
                *at = pc - 1;
                return Err($stop.into());
            }};
        }
        macro_rules! check {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(error) => stop!(error),
                }
            };
        }
        macro_rules! count {
            ($steps:expr) => {
                self.steps += $steps as u64;
                if self.steps > self.checkpoint {
                    check!(self.pass_checkpoint());
                }
            };
        }
        macro_rules! jump {
            ($condition:expr, $target:expr, $steps:expr) => {
                count!($steps);
                if $condition {
                    pc = $target as usize;
                }
            };
        }
        macro_rules! notice {
            ($wrong:expr, $fault:expr) => {
                if $wrong && self.noticing {
                    check!(self.notice(code, pc - 1, $fault));
                }
            };
        }
        // Signed arithmetic: `$as` is the signed type, `$un` its unsigned twin.
        macro_rules! signed {
            ($d:expr, $op:ident, $as:ty, $un:ty, $a:expr, $b:expr) => {
                let (value, overflow) = ($a as $as).$op($b as $as);
                notice!(overflow, Fault::SignedOverflow);
                r!($d) = value as $un as u64;
            };
        }
        macro_rules! divide {
            ($d:expr, $op:ident, $as:ty, $un:ty, $a:expr, $b:expr) => {
                if $b == 0 {
                    stop!(Fault::DivisionByZero);
                }
                let (value, overflow) = ($a as $as).$op($b as $as);
                if overflow {
                    stop!(Fault::DivisionOverflow);
                }
                r!($d) = value as $un as u64;
            };
        }
        macro_rules! shift {
            ($d:expr, $width:expr, $a:expr, $b:expr, |$x:ident, $n:ident| $value:expr) => {
                let ($x, amount) = ($a, $b);
                notice!(amount >= $width, Fault::ShiftRange);
                let $n = (amount & ($width - 1)) as u32;
                r!($d) = $value as u64;
            };
        }
        macro_rules! shift_left_signed {
            ($d:expr, $width:expr, $as:ty, $un:ty, $a:expr, $b:expr) => {
                let (value, amount) = ($a as $as, $b);
                let shift = (amount & ($width - 1)) as u32;
                if amount >= $width {
                    notice!(true, Fault::ShiftRange);
                } else {
                    notice!(value < 0 || value > <$as>::MAX >> shift, Fault::SignedOverflow);
                }
                r!($d) = ((value as $un) << shift) as u64;
            };
        }
        macro_rules! load {
            ($n:literal, $d:expr, $a:expr, $at:expr) => {
                match self.memory.load::<$n>(r!($a), $at) {
                    Ok(value) => r!($d) = value,
                    Err(fault) => {
                        if !check!(self.revive(code, base, $a)) {
                            stop!(fault);
                        }
                        pc -= 1;
                    }
                }
            };
        }
        macro_rules! store {
            ($n:literal, $s:expr, $a:expr, $at:expr) => {
                if let Err(fault) = self.memory.store::<$n>(r!($a), $at, r!($s)) {
                    if !check!(self.revive(code, base, $a)) {
                        stop!(fault);
                    }
                    pc -= 1;
                }
            };
        }
        macro_rules! get {
            ($n:literal, $d:expr, $object:expr, $at:expr) => {
                let mut value = [0; 8];
                let bytes = &self.memory.objects[$object as usize].bytes[$at as usize..$at as usize + $n];
                value[..$n].copy_from_slice(bytes);
                r!($d) = u64::from_le_bytes(value);
            };
        }
        macro_rules! put {
            ($n:literal, $s:expr, $object:expr, $at:expr) => {
                let value = r!($s).to_le_bytes();
                let bytes = &mut self.memory.objects[$object as usize].bytes[$at as usize..$at as usize + $n];
                bytes.copy_from_slice(&value[..$n]);
            };
        }
        macro_rules! index {
            ($d:expr, $index:expr, $table:expr) => {
                let info = &code.indexes[$table as usize];
                let index: i64 = $index;
                if index as u64 >= info.length && info.length != u64::MAX {
                    stop!(Fault::OutOfBounds);
                }
                let address = match info.base {
                    Base::Object(number) => self.memory.objects[number as usize].base,
                    Base::Slot(slot) => {
                        if r!(slot) == 0 {
                            check!(self.revive(code, base, slot));
                        }
                        r!(slot)
                    }
                };
                let distance = index.checked_mul(info.stride as i64).and_then(|way| way.checked_add(info.displacement));
                r!($d) = match distance {
                    Some(distance) => self.memory.offset(address, distance, 1),
                    None => self.memory.wild(),
                };
            };
        }
        macro_rules! f32s {
            ($x:expr) => {
                f32::from_bits(r!($x) as u32)
            };
        }
        macro_rules! f64s {
            ($x:expr) => {
                f64::from_bits(r!($x))
            };
        }

        loop {
            let instr = instrs[pc];
            pc += 1;
            match instr {
                Instr::Const { d, value } => r!(d) = value,
                Instr::Mov { d, a } => r!(d) = r!(a),
                Instr::Add32 { d, a, b } => r!(d) = (r!(a) as u32).wrapping_add(r!(b) as u32) as u64,
                Instr::Sub32 { d, a, b } => r!(d) = (r!(a) as u32).wrapping_sub(r!(b) as u32) as u64,
                Instr::Mul32 { d, a, b } => r!(d) = (r!(a) as u32).wrapping_mul(r!(b) as u32) as u64,
                Instr::Add64 { d, a, b } => r!(d) = r!(a).wrapping_add(r!(b)),
                Instr::Sub64 { d, a, b } => r!(d) = r!(a).wrapping_sub(r!(b)),
                Instr::Mul64 { d, a, b } => r!(d) = r!(a).wrapping_mul(r!(b)),
                Instr::Add32I { d, a, b } => r!(d) = (r!(a) as u32).wrapping_add(b as u32) as u64,
                Instr::Mul32I { d, a, b } => r!(d) = (r!(a) as u32).wrapping_mul(b as u32) as u64,
                Instr::Add64I { d, a, b } => r!(d) = r!(a).wrapping_add(b as i64 as u64),
                Instr::Mul64I { d, a, b } => r!(d) = r!(a).wrapping_mul(b as i64 as u64),
                Instr::AddS32 { d, a, b } => {
                    signed!(d, overflowing_add, i32, u32, r!(a), r!(b));
                }
                Instr::SubS32 { d, a, b } => {
                    signed!(d, overflowing_sub, i32, u32, r!(a), r!(b));
                }
                Instr::MulS32 { d, a, b } => {
                    signed!(d, overflowing_mul, i32, u32, r!(a), r!(b));
                }
                Instr::AddS64 { d, a, b } => {
                    signed!(d, overflowing_add, i64, u64, r!(a), r!(b));
                }
                Instr::SubS64 { d, a, b } => {
                    signed!(d, overflowing_sub, i64, u64, r!(a), r!(b));
                }
                Instr::MulS64 { d, a, b } => {
                    signed!(d, overflowing_mul, i64, u64, r!(a), r!(b));
                }
                Instr::AddS32I { d, a, b } => {
                    signed!(d, overflowing_add, i32, u32, r!(a), b);
                }
                Instr::SubS32I { d, a, b } => {
                    signed!(d, overflowing_sub, i32, u32, r!(a), b);
                }
                Instr::MulS32I { d, a, b } => {
                    signed!(d, overflowing_mul, i32, u32, r!(a), b);
                }
                Instr::AddS64I { d, a, b } => {
                    signed!(d, overflowing_add, i64, u64, r!(a), b);
                }
                Instr::SubS64I { d, a, b } => {
                    signed!(d, overflowing_sub, i64, u64, r!(a), b);
                }
                Instr::MulS64I { d, a, b } => {
                    signed!(d, overflowing_mul, i64, u64, r!(a), b);
                }
                Instr::DivS32 { d, a, b } => {
                    divide!(d, overflowing_div, i32, u32, r!(a), r!(b));
                }
                Instr::RemS32 { d, a, b } => {
                    divide!(d, overflowing_rem, i32, u32, r!(a), r!(b));
                }
                Instr::DivS64 { d, a, b } => {
                    divide!(d, overflowing_div, i64, u64, r!(a), r!(b));
                }
                Instr::RemS64 { d, a, b } => {
                    divide!(d, overflowing_rem, i64, u64, r!(a), r!(b));
                }
                Instr::DivU { d, a, b } => match r!(a).checked_div(r!(b)) {
                    Some(value) => r!(d) = value,
                    None => stop!(Fault::DivisionByZero),
                },
                Instr::RemU { d, a, b } => match r!(a).checked_rem(r!(b)) {
                    Some(value) => r!(d) = value,
                    None => stop!(Fault::DivisionByZero),
                },
                Instr::And { d, a, b } => r!(d) = r!(a) & r!(b),
                Instr::Or { d, a, b } => r!(d) = r!(a) | r!(b),
                Instr::Xor { d, a, b } => r!(d) = r!(a) ^ r!(b),
                Instr::AndI { d, a, b } => r!(d) = r!(a) & b as u64,
                Instr::OrI { d, a, b } => r!(d) = r!(a) | b as u64,
                Instr::XorI { d, a, b } => r!(d) = r!(a) ^ b as u64,
                Instr::ShlS32 { d, a, b } => {
                    shift_left_signed!(d, 32, i32, u32, r!(a), r!(b));
                }
                Instr::ShlS64 { d, a, b } => {
                    shift_left_signed!(d, 64, i64, u64, r!(a), r!(b));
                }
                Instr::ShlS32I { d, a, b } => {
                    shift_left_signed!(d, 32, i32, u32, r!(a), b);
                }
                Instr::ShlS64I { d, a, b } => {
                    shift_left_signed!(d, 64, i64, u64, r!(a), b);
                }
                Instr::ShlU32 { d, a, b } => {
                    shift!(d, 32, r!(a), r!(b), |x, n| (x as u32) << n);
                }
                Instr::ShlU64 { d, a, b } => {
                    shift!(d, 64, r!(a), r!(b), |x, n| x << n);
                }
                Instr::ShrS32 { d, a, b } => {
                    shift!(d, 32, r!(a), r!(b), |x, n| (x as i32 >> n) as u32);
                }
                Instr::ShrS64 { d, a, b } => {
                    shift!(d, 64, r!(a), r!(b), |x, n| x as i64 >> n);
                }
                Instr::ShrU32 { d, a, b } => {
                    shift!(d, 32, r!(a), r!(b), |x, n| x as u32 >> n);
                }
                Instr::ShrU64 { d, a, b } => {
                    shift!(d, 64, r!(a), r!(b), |x, n| x >> n);
                }
                Instr::ShlU32I { d, a, b } => r!(d) = ((r!(a) as u32) << (b & 31)) as u64,
                Instr::ShlU64I { d, a, b } => r!(d) = r!(a) << (b & 63),
                Instr::ShrS32I { d, a, b } => r!(d) = (r!(a) as i32 >> (b & 31)) as u32 as u64,
                Instr::ShrS64I { d, a, b } => r!(d) = (r!(a) as i64 >> (b & 63)) as u64,
                Instr::ShrUI { d, a, b } => r!(d) = r!(a) >> (b & 63),

                Instr::Eq { d, a, b } => r!(d) = (r!(a) == r!(b)) as u64,
                Instr::Ne { d, a, b } => r!(d) = (r!(a) != r!(b)) as u64,
                Instr::LtS32 { d, a, b } => r!(d) = ((r!(a) as i32) < r!(b) as i32) as u64,
                Instr::LeS32 { d, a, b } => r!(d) = (r!(a) as i32 <= r!(b) as i32) as u64,
                Instr::LtS64 { d, a, b } => r!(d) = ((r!(a) as i64) < r!(b) as i64) as u64,
                Instr::LeS64 { d, a, b } => r!(d) = (r!(a) as i64 <= r!(b) as i64) as u64,
                Instr::LtU { d, a, b } => r!(d) = (r!(a) < r!(b)) as u64,
                Instr::LeU { d, a, b } => r!(d) = (r!(a) <= r!(b)) as u64,
                Instr::EqI { d, a, b } => r!(d) = (r!(a) == b as u64) as u64,
                Instr::NeI { d, a, b } => r!(d) = (r!(a) != b as u64) as u64,

                Instr::NegS32 { d, a } => {
                    signed!(d, overflowing_sub, i32, u32, 0, r!(a));
                }
                Instr::NegS64 { d, a } => {
                    signed!(d, overflowing_sub, i64, u64, 0, r!(a));
                }
                Instr::Neg32 { d, a } => r!(d) = (r!(a) as u32).wrapping_neg() as u64,
                Instr::Neg64 { d, a } => r!(d) = r!(a).wrapping_neg(),
                Instr::Not32 { d, a } => r!(d) = !(r!(a) as u32) as u64,
                Instr::Not64 { d, a } => r!(d) = !r!(a),
                Instr::Sext8To32 { d, a } => r!(d) = r!(a) as i8 as u32 as u64,
                Instr::Sext16To32 { d, a } => r!(d) = r!(a) as i16 as u32 as u64,
                Instr::Sext8To64 { d, a } => r!(d) = r!(a) as i8 as u64,
                Instr::Sext16To64 { d, a } => r!(d) = r!(a) as i16 as u64,
                Instr::Sext32To64 { d, a } => r!(d) = r!(a) as i32 as u64,

                Instr::AddF32 { d, a, b } => r!(d) = (f32s!(a) + f32s!(b)).to_bits() as u64,
                Instr::SubF32 { d, a, b } => r!(d) = (f32s!(a) - f32s!(b)).to_bits() as u64,
                Instr::MulF32 { d, a, b } => r!(d) = (f32s!(a) * f32s!(b)).to_bits() as u64,
                Instr::DivF32 { d, a, b } => r!(d) = (f32s!(a) / f32s!(b)).to_bits() as u64,
                Instr::AddF64 { d, a, b } => r!(d) = (f64s!(a) + f64s!(b)).to_bits(),
                Instr::SubF64 { d, a, b } => r!(d) = (f64s!(a) - f64s!(b)).to_bits(),
                Instr::MulF64 { d, a, b } => r!(d) = (f64s!(a) * f64s!(b)).to_bits(),
                Instr::DivF64 { d, a, b } => r!(d) = (f64s!(a) / f64s!(b)).to_bits(),
                Instr::EqF64 { d, a, b } => r!(d) = (f64s!(a) == f64s!(b)) as u64,
                Instr::LtF64 { d, a, b } => r!(d) = (f64s!(a) < f64s!(b)) as u64,
                Instr::LeF64 { d, a, b } => r!(d) = (f64s!(a) <= f64s!(b)) as u64,
                Instr::EqF32 { d, a, b } => r!(d) = (f32s!(a) == f32s!(b)) as u64,
                Instr::LtF32 { d, a, b } => r!(d) = (f32s!(a) < f32s!(b)) as u64,
                Instr::LeF32 { d, a, b } => r!(d) = (f32s!(a) <= f32s!(b)) as u64,
                Instr::S32ToF64 { d, a } => r!(d) = (r!(a) as i32 as f64).to_bits(),
                Instr::S64ToF64 { d, a } => r!(d) = (r!(a) as i64 as f64).to_bits(),
                Instr::F64ToS32 { d, a } => {
                    let value = f64s!(a);
                    let inside = value > -2147483649.0 && value < 2147483648.0;
                    if !inside {
                        stop!(Fault::FloatConversion);
                    }
                    r!(d) = value as i32 as u32 as u64;
                }
                Instr::F32ToF64 { d, a } => r!(d) = (f32s!(a) as f64).to_bits(),
                Instr::F64ToF32 { d, a } => r!(d) = (f64s!(a) as f32).to_bits() as u64,

                Instr::Load8 { d, a, at: offset } => load!(1, d, a, offset),
                Instr::Load16 { d, a, at: offset } => load!(2, d, a, offset),
                Instr::Load32 { d, a, at: offset } => load!(4, d, a, offset),
                Instr::Load64 { d, a, at: offset } => load!(8, d, a, offset),
                Instr::Store8 { s, a, at: offset } => store!(1, s, a, offset),
                Instr::Store16 { s, a, at: offset } => store!(2, s, a, offset),
                Instr::Store32 { s, a, at: offset } => store!(4, s, a, offset),
                Instr::Store64 { s, a, at: offset } => store!(8, s, a, offset),
                Instr::Get8 { d, object, at: offset } => {
                    get!(1, d, object, offset);
                }
                Instr::Get16 { d, object, at: offset } => {
                    get!(2, d, object, offset);
                }
                Instr::Get32 { d, object, at: offset } => {
                    get!(4, d, object, offset);
                }
                Instr::Get64 { d, object, at: offset } => {
                    get!(8, d, object, offset);
                }
                Instr::Put8 { s, object, at: offset } => {
                    put!(1, s, object, offset);
                }
                Instr::Put16 { s, object, at: offset } => {
                    put!(2, s, object, offset);
                }
                Instr::Put32 { s, object, at: offset } => {
                    put!(4, s, object, offset);
                }
                Instr::Put64 { s, object, at: offset } => {
                    put!(8, s, object, offset);
                }

                Instr::Address { d, a, at: offset } => {
                    if r!(a) == 0 {
                        check!(self.revive(code, base, a));
                    }
                    r!(d) = self.memory.offset(r!(a), offset as i64, 1);
                }
                Instr::Offset { d, a, at: offset } => r!(d) = self.memory.offset(r!(a), offset as i64, 1),
                Instr::PtrAdd32 { d, a, b, stride } => {
                    r!(d) = self.memory.offset(r!(a), r!(b) as i32 as i64, stride as u64);
                }
                Instr::PtrAdd64 { d, a, b, stride } => {
                    r!(d) = self.memory.offset(r!(a), r!(b) as i64, stride as u64);
                }
                Instr::Index32 { d, index, table } => {
                    index!(d, r!(index) as i32 as i64, table);
                }
                Instr::Index64 { d, index, table } => {
                    index!(d, r!(index) as i64, table);
                }

                Instr::Jump { target, steps } => {
                    jump!(true, target, steps);
                }
                Instr::Steps { steps } => {
                    count!(steps);
                }
                Instr::BrEq { a, b, target, steps } => {
                    jump!(r!(a) == r!(b), target, steps);
                }
                Instr::BrNe { a, b, target, steps } => {
                    jump!(r!(a) != r!(b), target, steps);
                }
                Instr::BrLtS32 { a, b, target, steps } => {
                    jump!((r!(a) as i32) < r!(b) as i32, target, steps);
                }
                Instr::BrLeS32 { a, b, target, steps } => {
                    jump!(r!(a) as i32 <= r!(b) as i32, target, steps);
                }
                Instr::BrLtS64 { a, b, target, steps } => {
                    jump!((r!(a) as i64) < r!(b) as i64, target, steps);
                }
                Instr::BrLeS64 { a, b, target, steps } => {
                    jump!(r!(a) as i64 <= r!(b) as i64, target, steps);
                }
                Instr::BrLtU { a, b, target, steps } => {
                    jump!(r!(a) < r!(b), target, steps);
                }
                Instr::BrLeU { a, b, target, steps } => {
                    jump!(r!(a) <= r!(b), target, steps);
                }
                Instr::BrEqI { a, b, target, steps } => {
                    jump!(r!(a) == b as u64, target, steps);
                }
                Instr::BrNeI { a, b, target, steps } => {
                    jump!(r!(a) != b as u64, target, steps);
                }
                Instr::BrLtS32I { a, b, target, steps } => {
                    jump!((r!(a) as i32) < b, target, steps);
                }
                Instr::BrGeS32I { a, b, target, steps } => {
                    jump!(r!(a) as i32 >= b, target, steps);
                }
                Instr::BrLtS64I { a, b, target, steps } => {
                    jump!((r!(a) as i64) < b as i64, target, steps);
                }
                Instr::BrGeS64I { a, b, target, steps } => {
                    jump!(r!(a) as i64 >= b as i64, target, steps);
                }
                Instr::BrLtUI { a, b, target, steps } => {
                    jump!(r!(a) < b as u64, target, steps);
                }
                Instr::BrGeUI { a, b, target, steps } => {
                    jump!(r!(a) >= b as u64, target, steps);
                }

                Instr::Call { site, steps } => {
                    count!(steps);
                    self.frames.last_mut().expect("the running frame").pc = pc;
                    check!(self.call_simple(base, &code.sites[site as usize]));
                    return Ok(());
                }
                Instr::CallSlow { site, steps } => {
                    count!(steps);
                    let depth = self.frames.len();
                    self.frames.last_mut().expect("the running frame").pc = pc;
                    check!(self.call(code, base, &code.sites[site as usize]));
                    if self.frames.len() != depth {
                        return Ok(());
                    }
                }
                Instr::Result { d, slow } => {
                    if self.returned.given {
                        r!(d) = self.returned.bits.lo;
                    } else {
                        check!(self.slow(code, base, slow));
                    }
                }
                Instr::Return { a, steps } => {
                    count!(steps);
                    self.returned.given = true;
                    self.returned.bits = Bits { lo: r!(a), hi: 0 };
                    check!(self.return_from(code));
                    return Ok(());
                }
                Instr::ReturnNothing { steps } => {
                    count!(steps);
                    self.returned.given = false;
                    check!(self.return_from(code));
                    return Ok(());
                }
                Instr::ReturnSet { steps } => {
                    count!(steps);
                    check!(self.return_from(code));
                    return Ok(());
                }
                Instr::Slow { index } => {
                    self.frames.last_mut().expect("the running frame").pc = pc - 1;
                    check!(self.slow(code, base, index));
                }
                Instr::Trace { index } => {
                    if self.is_observed() {
                        self.frames.last_mut().expect("the running frame").pc = pc - 1;
                        self.trace(code, base, index);
                    }
                }
            }
        }
    }
}
