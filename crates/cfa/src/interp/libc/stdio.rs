//! Output of `stdio.h`: it is recorded.

use super::*;

impl Machine<'_> {
    pub(super) fn stdio(&mut self, library: LibFn, call: &Invocation<'_>) -> Answer {
        match library {
            LibFn::Printf => {
                let text = self.format(call, 0)?;
                self.output(STDOUT, &text)?;
                int(text.len() as i64)
            }
            LibFn::Fprintf => {
                let text = self.format(call, 1)?;
                self.output(call.arg(0)?, &text)?;
                int(text.len() as i64)
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
                self.output(STDOUT, &text)?;
                int(text.len() as i64)
            }
            LibFn::Putchar => {
                self.output(STDOUT, &[call.arg(0)? as u8])?;
                int(call.arg(0)? as u8)
            }
            LibFn::Fputc => {
                self.output(call.arg(1)?, &[call.arg(0)? as u8])?;
                int(call.arg(0)? as u8)
            }
            LibFn::Fputs => {
                let text = self.c_string(call.arg(0)?)?;
                self.output(call.arg(1)?, &text)?;
                int(1)
            }
            LibFn::Fwrite => {
                let (size, count) = (call.arg(1)?, call.arg(2)?);
                let length = size.checked_mul(count).ok_or(Fault::OutOfBounds)?;
                let bytes = self.bytes(call.arg(0)?, length)?;
                self.output(call.arg(3)?, &bytes)?;
                word(if size == 0 { 0 } else { count })
            }
            LibFn::Write => {
                let bytes = self.bytes(call.arg(1)?, call.arg(2)?)?;
                match call.int(0)? {
                    1 => self.output(STDOUT, &bytes)?,
                    2 => self.output(STDERR, &bytes)?,
                    _ => {}
                }
                word(bytes.len() as u64)
            }
            _ => {
                let mut text = if call.arg(0)? == 0 { Vec::new() } else { self.c_string(call.arg(0)?)? };
                text.extend_from_slice(if text.is_empty() { b"Error\n" } else { b": Error\n" });
                self.output(STDERR, &text)?;
                Ok(None)
            }
        }
    }

    /// A stream is a standard one, or an object of the library's (see `fopen`), which must be there.
    fn output(&mut self, stream: u64, bytes: &[u8]) -> Result<(), Stop> {
        match stream {
            STDIN => {}
            STDOUT => self.libc.stdout.extend_from_slice(bytes),
            STDERR => self.libc.stderr.extend_from_slice(bytes),
            _ => drop(self.bytes(stream, 1)?),
        }
        Ok(())
    }
}
