"""Tool-info module of whydunit for BenchExec (API version 2).

A benchmark definition names it as tool="contrib.benchexec.whydunit"; the root of the project has to be in PYTHONPATH, and the
executable in PATH, in the current folder, or where --tool-directory says.

Verification:       whydunit verify OPTIONS LIMITS -p PROPERTY --data-model MODEL FILES
Witness validation: if the task names a witness (option `witness_input_file` of the task definition, or `--witness FILE` after the option
                    `validate` of the benchmark definition):
                    whydunit witness validate OPTIONS LIMITS -p PROPERTY --data-model MODEL WITNESS FILE
"""

import benchexec.result as result
import benchexec.tools.template
from benchexec.tools.sv_benchmarks_util import (
    ILP32,
    LP64,
    TaskFilesConsidered,
    get_data_model_from_task,
    handle_witness_of_task,
)

# The tool gives up a little before BenchExec ends it, and says what it knows.
OWN_SHARE = 0.95

# Words of violation witnesses: YAML 2.x and GraphML.
VIOLATION = ("violation_sequence", "violation_witness")


class Tool(benchexec.tools.template.BaseTool2):
    def executable(self, tool_locator):
        return tool_locator.find_executable("whydunit")

    def name(self):
        return "whydunit"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="whydunit ")

    def cmdline(self, executable, options, task, rlimits):
        options = list(options)
        files, witness = handle_witness_of_task(
            task, options, "--witness", TaskFilesConsidered.INPUT_FILES_OR_IDENTIFIER
        )
        validate = options[:1] == ["validate"]
        if validate:
            options = options[1:]
            if not witness and "--witness" in options:
                at = options.index("--witness")
                witness = options[at : at + 2]
                options = options[:at] + options[at + 2 :]
            if not witness:
                raise benchexec.tools.template.UnsupportedFeatureException("there is no witness to validate")
        question = _limits(options, rlimits)
        if task.property_file:
            question += ["-p", task.property_file]
        model = get_data_model_from_task(task, {ILP32: "ilp32", LP64: "lp64"})
        if model:
            question += ["--data-model", model]
        if validate:
            return [executable, "witness", "validate", *options, *question, witness[1], *files]
        return [executable, "verify", *options, *question, *files]

    def determine_result(self, run):
        first = run.output[0].strip() if len(run.output) else ""
        # The exit code says the same as the first line; if not, the answer does not count.
        if first.startswith("verdict: "):
            return _verdict(first.removeprefix("verdict: "), run.exit_code.value)
        if first.startswith("result: "):
            return _validation(first.removeprefix("result: "), run)
        if run.exit_code.value == 2:
            return f"{result.RESULT_ERROR} (bad input)"
        if run.exit_code.value == 70:
            return f"{result.RESULT_ERROR} (internal error)"
        return result.RESULT_ERROR


def _limits(options, rlimits):
    limits = []
    times = [time for time in (rlimits.cputime, rlimits.walltime) if time]
    if times and "--timeout" not in options:
        limits += ["--timeout", str(max(1, int(min(times) * OWN_SHARE)))]
    if rlimits.memory and "--memory" not in options:
        limits += ["--memory", str(max(1, int(rlimits.memory / 2**20 * OWN_SHARE)))]
    return limits


def _verdict(text, code):
    if text == "true" and code == 0:
        return result.RESULT_TRUE_PROP
    if text.startswith("false(") and code == 10:
        part = text.removeprefix("false(").removesuffix(")")
        # Parts of valid-memsafety are compared by name.
        return f"{result.RESULT_FALSE_PROP}({part})" if part.startswith("valid-") else result.RESULT_FALSE_PROP
    if text.startswith("unknown") and code == 30:
        return text.replace("unknown(", f"{result.RESULT_UNKNOWN} (")
    return result.RESULT_ERROR


def _validation(text, run):
    """A confirmed witness repeats the verdict that it claims, so that BenchExec can compare it with the task's."""
    if not text.startswith("confirmed") or run.exit_code.value != 0:
        return f"{result.RESULT_UNKNOWN} ({text.split(' ')[0]})"
    for argument in run.cmdline:
        if argument.endswith((".yml", ".yaml", ".graphml")):
            with open(argument, errors="replace") as file:
                if any(word in line for line in file for word in VIOLATION):
                    return result.RESULT_FALSE_PROP
    return result.RESULT_TRUE_PROP
