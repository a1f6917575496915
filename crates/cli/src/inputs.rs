//! The test that a run is given on the command line: inputs, the program's own command line, its standard input, and what is expected.

use crate::args::{GivenArgs, OracleArgs};
use anyhow::{Context, Result};
use explain::suite::{Expected, InputNumber, Test};
use std::path::Path;

/// The values of a list.
pub fn numbers(texts: &[String]) -> Result<Vec<InputNumber>> {
    texts.iter().map(|text| InputNumber::parse(text).map_err(anyhow::Error::msg)).collect()
}

/// The inputs of a test case of Test-Comp.
pub fn of_test_case(file: &Path) -> Result<Vec<InputNumber>> {
    in_test_case(&bytes(file)?).with_context(|| file.display().to_string())
}

/// The same, of its text.
pub fn in_test_case(text: &[u8]) -> Result<Vec<InputNumber>> {
    let values = witness::testcase::read(text, &witness::Limits::default()).map_err(anyhow::Error::msg)?;
    numbers(&values)
}

pub fn bytes(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

impl OracleArgs {
    pub fn expects(&self) -> bool {
        self.expect_stdout.is_some() || self.expect_result.is_some()
    }
}

impl GivenArgs {
    /// The test that is given; `None` if nothing is.
    pub fn test(&self, oracle: &OracleArgs) -> Result<Option<Test>> {
        let nothing = self.inputs.is_none() && self.args.is_empty() && self.stdin.is_none() && self.test_xml.is_none();
        if nothing && !oracle.expects() {
            return Ok(None);
        }
        let inputs = match &self.test_xml {
            Some(file) => of_test_case(file)?,
            None => numbers(self.inputs.as_deref().unwrap_or_default())?,
        };
        let stdout = oracle.expect_stdout.as_deref().map(bytes).transpose()?;
        Ok(Some(Test {
            name: "the test of the command line".into(),
            args: self.args.iter().map(|word| word.clone().into_bytes()).collect(),
            stdin: self.stdin.as_deref().map(bytes).transpose()?,
            inputs,
            unwritten: 0,
            expected: Expected { stdout, result: oracle.expect_result, stated: None },
        }))
    }
}
