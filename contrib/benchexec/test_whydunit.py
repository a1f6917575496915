"""Tests of the tool-info module with the real benchexec package; `cargo xtask setup` installs it, `contrib/benchexec/test.sh` runs them."""

import tempfile
import unittest

import benchexec.result as result
from benchexec.tools.template import BaseTool2
from benchexec.util import ProcessExitCode

from contrib.benchexec.whydunit import Tool

PROPERTY = "p/unreach-call.prp"


def task(files=("a.c",), options=None):
    return BaseTool2.Task.with_files(list(files), property_file=PROPERTY, options=options)


def limits(**given):
    return BaseTool2.ResourceLimits(**given)


def run(line, code, cmdline=()):
    output = BaseTool2.RunOutput([line + "\n"] if line else [])
    return BaseTool2.Run(list(cmdline), ProcessExitCode.create(value=code), output, None)


class ToolInfo(unittest.TestCase):
    def setUp(self):
        self.tool = Tool()

    def verdict(self, line, code, cmdline=()):
        return self.tool.determine_result(run(line, code, cmdline))

    def test_command_line_of_a_task(self):
        line = self.tool.cmdline("w", ["--full"], task(options={"language": "C", "data_model": "ILP32"}), limits(cputime=100, memory=2000 * 2**20))
        self.assertEqual(
            line,
            ["w", "verify", "--full", "--timeout", "95", "--memory", "1900", "-p", PROPERTY, "--data-model", "ilp32", "a.c"],
        )

    def test_own_limits_win(self):
        line = self.tool.cmdline("w", ["--timeout", "5"], task(), limits(cputime=100))
        self.assertEqual(line, ["w", "verify", "--timeout", "5", "-p", PROPERTY, "a.c"])

    def test_witness_of_the_task(self):
        line = self.tool.cmdline("w", ["validate"], task(["a.c", "d/w.yml"], {"witness_input_file": "w.yml"}), limits())
        self.assertEqual(line, ["w", "witness", "validate", "-p", PROPERTY, "d/w.yml", "a.c"])

    def test_witness_of_the_definition(self):
        line = self.tool.cmdline("w", ["validate", "--how", "static", "--witness", "w.yml"], task(), limits())
        self.assertEqual(line, ["w", "witness", "validate", "--how", "static", "-p", PROPERTY, "w.yml", "a.c"])

    def test_verdicts(self):
        self.assertEqual(self.verdict("verdict: true", 0), result.RESULT_TRUE_PROP)
        self.assertEqual(self.verdict("verdict: false(unreach-call)", 10), result.RESULT_FALSE_PROP)
        self.assertEqual(self.verdict("verdict: false(valid-deref)", 10), result.RESULT_FALSE_DEREF)
        self.assertEqual(self.verdict("verdict: false(valid-memtrack)", 10), result.RESULT_FALSE_MEMTRACK)
        self.assertTrue(self.verdict("verdict: unknown(budget)", 30).startswith(result.RESULT_UNKNOWN))

    def test_an_answer_without_its_exit_code_does_not_count(self):
        self.assertEqual(self.verdict("verdict: true", 70), result.RESULT_ERROR)
        self.assertTrue(self.verdict("", 2).startswith(result.RESULT_ERROR))

    def test_validation(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write("- entry_type: violation_sequence\n")
            file.flush()
            self.assertEqual(self.verdict("result: confirmed (interpret)", 0, [file.name]), result.RESULT_FALSE_PROP)
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write("- entry_type: invariant_set\n")
            file.flush()
            self.assertEqual(self.verdict("result: confirmed (static)", 0, [file.name]), result.RESULT_TRUE_PROP)
        self.assertEqual(self.verdict("result: rejected (static)", 10), f"{result.RESULT_UNKNOWN} (rejected)")


if __name__ == "__main__":
    unittest.main()
