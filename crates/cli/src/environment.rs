//! What the program runs in, as the command line says it: options that decide what an answer is about.

use crate::args::{EntryArgs, EnvironmentArgs, VolatileArg};
use anyhow::{Context, Result, bail};
use cfa::environment::Environment;
use cfa::{DataModel, Property, PropertySet};
use frontend::{CompileOptions, EntryObjects, Length, RegisterRange};

impl EnvironmentArgs {
    pub fn compile_options(&self, model: DataModel, entry: &EntryArgs) -> Result<CompileOptions> {
        Ok(CompileOptions {
            cycle: self.cycle.options(&entry.entry, &entry.assume)?,
            unsigned_char: self.char_unsigned,
            volatile_inputs: self.volatile == VolatileArg::Inputs,
            registers: self.mmio.iter().map(|text| registers(text)).collect::<Result<_>>()?,
            ..CompileOptions::of(model)
        })
    }

    pub fn environment(&self) -> Environment {
        Environment {
            allocation_fails: self.malloc_may_fail,
            output_fails: self.output_may_fail,
            stack_limit: self.stack_limit,
            one_row: false,
        }
    }

    /// The properties to check: the limit of the stack is one, and only where there is a limit.
    pub fn with_limits(&self, properties: PropertySet) -> Result<PropertySet> {
        let properties = self.cycle.properties(properties);
        match self.stack_limit {
            Some(_) => Ok(properties.with(Property::StackLimit)),
            None if properties.contains(Property::StackLimit) => {
                bail!("the property stack-limit needs the limit: --stack-limit BYTES")
            }
            None => Ok(properties),
        }
    }

    /// The first option that is not as usual.
    pub fn unusual(&self) -> Option<&'static str> {
        let chosen = [
            (self.malloc_may_fail, "--malloc-may-fail"),
            (self.output_may_fail, "--output-may-fail"),
            (self.volatile != VolatileArg::Memory, "--volatile inputs"),
            (!self.mmio.is_empty(), "--mmio"),
            (self.stack_limit.is_some(), "--stack-limit"),
            (self.char_unsigned, "--char-unsigned"),
        ];
        chosen.into_iter().find_map(|(is, name)| is.then_some(name)).or(self.cycle.unusual())
    }
}

/// `FIRST..LAST`, with a name or without.
fn registers(text: &str) -> Result<RegisterRange> {
    let parsed = || {
        let (range, name) = match text.split_once(':') {
            Some((range, name)) if !name.is_empty() => (range, Some(name.to_string())),
            Some(_) => return None,
            None => (text, None),
        };
        let (first, last) = range.split_once("..")?;
        Some(RegisterRange { first: number(first)?, last: number(last)?, name })
    };
    let range = parsed().with_context(|| {
        format!("--mmio {text}: addresses are written as FIRST..LAST or FIRST..LAST:NAME, as in 0x40000000..0x5fffffff")
    })?;
    if range.first > range.last {
        bail!("--mmio {text}: the last address comes before the first");
    }
    // Below lies null.
    if range.first < cfa::interp::END_OF_NULL {
        bail!("--mmio {text}: addresses below {:#x} are those of null pointers", cfa::interp::END_OF_NULL);
    }
    Ok(range)
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

impl EntryArgs {
    /// What is asked about the function to start at.
    pub fn objects(&self) -> Result<EntryObjects> {
        let mut objects = EntryObjects { assumptions: self.assume.clone(), ..EntryObjects::default() };
        objects.depth = self.entry_depth.unwrap_or(0);
        for text in &self.entry_arrays {
            let elements = |text: &str| text.parse::<u32>().ok().filter(|elements| *elements > 0);
            match text.split_once('=') {
                None => {
                    let elements = elements(text);
                    let elements = elements
                        .with_context(|| format!("--entry-arrays {text}: a number is needed, or PARAMETER=LENGTH"))?;
                    if objects.elements.replace(elements).is_some() {
                        bail!("--entry-arrays is given two numbers for all parameters");
                    }
                }
                Some((name, length)) => {
                    let starts_as_name = length.starts_with(|letter: char| letter.is_alphabetic() || letter == '_');
                    let length = match elements(length) {
                        Some(elements) => Length::Elements(elements),
                        None if starts_as_name => Length::Param(length.to_string()),
                        None => {
                            bail!("--entry-arrays {text}: `{length}` is neither a number of elements nor a parameter")
                        }
                    };
                    objects.lengths.push((name.to_string(), length));
                }
            }
        }
        Ok(objects)
    }

    /// What an answer rests on then.
    pub fn assumptions(&self) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for text in &self.entry_arrays {
            all.push(match text.split_once('=') {
                None => format!("pointers among the parameters lead to {text} elements"),
                Some((name, length)) => format!("{name} leads to {length} elements"),
            });
        }
        if let Some(depth) = self.entry_depth {
            all.push(format!("structures are built {depth} objects deep"));
        }
        all.extend(self.assume.iter().cloned());
        all
    }
}
