//! `stdio.h`: output is recorded, input is asked for.

use super::*;
use crate::types::IntKind;

impl Machine<'_> {
    pub(super) fn stdio(&mut self, library: LibFn, call: &Invocation<'_>) -> Answer {
        match library {
            LibFn::Printf => {
                let text = self.format(call, 0)?;
                self.output(STDOUT, &text);
                int(text.len() as i64)
            }
            LibFn::Fprintf => {
                let text = self.format(call, 1)?;
                self.output(call.arg(0)?, &text);
                int(text.len() as i64)
            }
            LibFn::Sprintf => {
                let mut text = self.format(call, 1)?;
                text.push(0);
                self.put_bytes(call.arg(0)?, &text)?;
                int(text.len() as i64 - 1)
            }
            LibFn::Snprintf => {
                let text = self.format(call, 2)?;
                let room = call.arg(1)?;
                if room > 0 {
                    let mut cut = text[..text.len().min(room as usize - 1)].to_vec();
                    cut.push(0);
                    self.put_bytes(call.arg(0)?, &cut)?;
                }
                int(text.len() as i64)
            }
            LibFn::Puts => {
                let mut text = self.c_string(call.arg(0)?)?;
                text.push(b'\n');
                self.output(STDOUT, &text);
                int(text.len() as i64)
            }
            LibFn::Putchar => {
                self.output(STDOUT, &[call.arg(0)? as u8]);
                int(call.arg(0)? as u8)
            }
            LibFn::Fputc => {
                self.output(call.arg(1)?, &[call.arg(0)? as u8]);
                int(call.arg(0)? as u8)
            }
            LibFn::Fputs => {
                let text = self.c_string(call.arg(0)?)?;
                self.output(call.arg(1)?, &text);
                int(1)
            }
            LibFn::Fwrite => {
                let (size, count) = (call.arg(1)?, call.arg(2)?);
                let length = size.checked_mul(count).ok_or(Fault::OutOfBounds)?;
                let bytes = self.bytes(call.arg(0)?, length)?;
                self.output(call.arg(3)?, &bytes);
                word(if size == 0 { 0 } else { count })
            }
            LibFn::Write => {
                let bytes = self.bytes(call.arg(1)?, call.arg(2)?)?;
                match call.int(0)? {
                    1 => self.output(STDOUT, &bytes),
                    2 => self.output(STDERR, &bytes),
                    _ => {}
                }
                word(bytes.len() as u64)
            }
            LibFn::Perror => {
                let mut text = if call.arg(0)? == 0 { Vec::new() } else { self.c_string(call.arg(0)?)? };
                text.extend_from_slice(if text.is_empty() { b"Error\n" } else { b": Error\n" });
                self.output(STDERR, &text);
                Ok(None)
            }
            LibFn::Getchar | LibFn::Fgetc => int(self.input_character(call)?.map_or(-1, i32::from)),
            LibFn::Fgets => self.fgets(call),
            LibFn::Scanf => self.scan_inputs(call, 0),
            LibFn::Fscanf => self.scan_inputs(call, 1),
            _ => self.sscanf(call),
        }
    }

    fn output(&mut self, stream: u64, bytes: &[u8]) {
        match stream {
            STDOUT => self.libc.stdout.extend_from_slice(bytes),
            STDERR => self.libc.stderr.extend_from_slice(bytes),
            _ => {}
        }
    }

    /// A character as `fgetc` gives it: an `int` input; outside 0 to 255 is the end of the file.
    pub(super) fn input_character(&mut self, call: &Invocation<'_>) -> Result<Option<u8>, Stop> {
        let ty = TypeId::int(IntKind::Int);
        let bits = self.external_input(call.function, call.site.edge, ty)?;
        Ok(u8::try_from(bits.lo as i32).ok())
    }

    fn fgets(&mut self, call: &Invocation<'_>) -> Answer {
        let room = call.int(1)?;
        if room <= 0 {
            return word(0);
        }
        let mut line = Vec::new();
        while line.len() + 1 < room as usize {
            let Some(byte) = self.input_character(call)? else { break };
            line.push(byte);
            if byte == b'\n' {
                break;
            }
        }
        if line.is_empty() && room > 1 {
            return word(0);
        }
        line.push(0);
        self.put_bytes(call.arg(0)?, &line)?;
        word(call.arg(0)?)
    }
}
