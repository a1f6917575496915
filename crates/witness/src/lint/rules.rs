//! The table of all rules. The example of a rule is a change to a flawless witness that breaks this rule and no other.

use super::Severity;
use super::examples::{Base, Example};

pub struct Rule {
    pub id: &'static str,
    pub severity: Severity,
    /// Whether the reader had to leave something out, so that the witness does not say any more what its text says.
    pub loses: bool,
    pub text: &'static str,
    pub example: Example,
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.id)
    }
}

macro_rules! rules {
    ($($name:ident $id:literal $severity:ident $loses:literal $text:literal ($base:ident, $from:literal, $to:expr);)*) => {
        $(pub static $name: Rule = Rule {
            id: $id,
            severity: Severity::$severity,
            loses: $loses,
            text: $text,
            example: Example { base: Base::$base, from: $from, to: $to },
        };)*

        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

// name, id, severity, whether something is left out, the rule, an example
rules! {
    // Any text.
    SYNTAX "syntax" Error true "The text is well-formed XML or YAML in UTF-8, without document type declarations." (Violation, "s &lt; v", "s < v");
    LIMIT "limit" Error true "The text is not larger and does not nest deeper than a reader can be asked to take." (Waypoints, "\"main()\"", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    VALUE "value" Error true "A field holds one of the values that are defined for it." (Violation, "condition-true", "condition-yes");
    TIME "time" Error false "A creation time is an ISO 8601 date and time with a time zone." (Violation, "2026-01-01T00:00:00Z", "1 January 2026");
    UUID "uuid" Warning false "A uuid has the form of RFC 4122." (Waypoints, "6f0aa4b2-7e4a-4f0c-9d7e-111111111111", "6f0aa4b2");
    HASH_FORM "hash-form" Warning false "A hash is 64 hexadecimal digits (SHA-256), or 40 (SHA-1) in old witnesses." (Violation, "1111111111111111111111111111111111111111111111111111111111111111", "none");
    SPECIFICATION "specification" Warning false "The specification is one of the properties of SV-COMP." (Violation, "LTL(G ! call(reach_error()))", "LTL(G good)");

    // GraphML: elements and keys.
    NAMESPACE "namespace" Warning false "The default namespace is that of GraphML." (Violation, " xmlns=\"http://graphml.graphdrawing.org/xmlns\"", "");
    ELEMENT "element" Error true "Elements stand where GraphML has a place for them, and one graph is there." (Violation, "<node id=\"q1\"/>", "<node id=\"q1\"/><port/>");
    ATTRIBUTE "attribute" Error true "Elements have the attributes that make them what they are: id, key, for, source, target." (Violation, "<data key=\"control\">", "<data>");
    EDGE_DEFAULT "edgedefault" Error false "The graph says edgedefault=\"directed\"." (Violation, " edgedefault=\"directed\"", "");
    KEY_UNDECLARED "key-undeclared" Error false "A key is declared when it is used." (Violation, "<data key=\"control\">", "<data key=\"note\">x</data><data key=\"control\">");
    KEY_DUPLICATE "key-duplicate" Error true "A key is declared once." (Violation, " <key id=\"entry\" for=\"node\"/>", " <key id=\"entry\" for=\"node\"/>\n <key id=\"entry\" for=\"node\"/>");
    KEY_DOMAIN "key-domain" Error false "A key is declared for the kind of element that the format defines it for." (Violation, "<key id=\"entry\" for=\"node\"/>", "<key id=\"entry\" for=\"edge\"/>");
    KEY_DEFAULT "key-default" Error true "The default of a flag is false." (Violation, "<key id=\"sink\" for=\"node\"/>", "<key id=\"sink\" for=\"node\"><default>true</default></key>");
    DATA_DUPLICATE "data-duplicate" Error true "An element has at most one value of a key (a graph may have several specifications)." (Violation, "<data key=\"control\">condition-true</data>", "<data key=\"control\">condition-true</data><data key=\"control\">condition-false</data>");
    DATA_EMPTY "data-empty" Error true "Data are not empty." (Violation, "<data key=\"enterFunction\">main</data>", "<data key=\"enterFunction\"/>");
    METADATA "metadata" Error false "The metadata is complete: of what the witness is evidence, producer, specification, program with its hash, data model, language, time." (Violation, "  <data key=\"producer\">a person</data>\n", "");

    // GraphML: the automaton.
    KEY_KIND "key-kind" Error false "Keys of violation witnesses do not occur in correctness witnesses and the reverse; the head of a cycle may have an invariant." (Violation, "<node id=\"q1\"/>", "<node id=\"q1\"><data key=\"invariant\">1</data></node>");
    NODE_DUPLICATE "node-duplicate" Error false "The ids of nodes differ." (Violation, "<node id=\"q1\"/>", "<node id=\"q1\"/><node id=\"q1\"/>");
    NODE_UNKNOWN "node-unknown" Error false "An edge joins nodes that are there." (Violation, "<edge source=\"q2\" target=\"bad\">", "<edge source=\"q2\" target=\"q9\"/><edge source=\"q2\" target=\"bad\">");
    ENTRY "entry" Error false "Exactly one node is the entry." (Violation, "<node id=\"q1\"/>", "<node id=\"q1\"><data key=\"entry\">true</data></node>");
    VIOLATION_STATE "violation-state" Warning false "A violation witness has a violation state." (Violation, "<node id=\"bad\"><data key=\"violation\">true</data></node>", "<node id=\"bad\"/>");
    SINK "sink" Error false "No edge leaves a sink, and a sink is no violation state." (Violation, "<edge source=\"q2\" target=\"sink\">", "<edge source=\"sink\" target=\"bad\"/><edge source=\"q2\" target=\"sink\">");
    CYCLEHEAD "cyclehead" Error false "A violation witness for termination has exactly one head of a cycle; no other witness has one." (Violation, "<node id=\"q1\"/>", "<node id=\"q1\"><data key=\"cyclehead\">true</data></node>");
    SELF_LOOP "self-loop" Warning false "Edges from a node to itself are not written: every state that is no sink stays where it is on what no edge matches." (Violation, "<edge source=\"q2\" target=\"sink\">", "<edge source=\"q2\" target=\"q2\"/><edge source=\"q2\" target=\"sink\">");
    UNREACHABLE "unreachable" Warning false "Every node can be reached from the entry." (Violation, "<node id=\"q1\"/>", "<node id=\"q1\"/><node id=\"lost\"/>");
    RESULT_FUNCTION "result-function" Error false "An assumption with \\result says which function's value it is." (Violation, "<data key=\"assumption.resultfunction\">input</data>", "");
    LINES "lines" Error false "An operation does not end before it begins." (Violation, "<data key=\"startline\">7</data>", "<data key=\"startline\">7</data><data key=\"endline\">6</data>");
    CALLS "calls" Warning false "A function is returned from after it was entered, the innermost one first." (Violation, "<data key=\"startline\">7</data>", "<data key=\"startline\">7</data><data key=\"returnFromFunction\">input</data>");

    // YAML: fields.
    FIELD_TYPE "field-type" Error true "A field is a text, a list or a mapping as the format says." (Waypoints, "producer: {name: a person, version: \"1\", description: \"main()\"}", "producer: a person");
    FIELD_MISSING "field-missing" Error true "The fields that the format demands are there." (Waypoints, "          action: avoid\n", "");
    FIELD_UNKNOWN "field-unknown" Warning false "There are no fields that the format does not define." (Waypoints, "          action: avoid\n", "          action: avoid\n          colour: red\n");
    ENTRY_TYPE "entry-type" Error true "An entry is a violation_sequence, an invariant_set or a ghost_instrumentation." (Waypoints, "entry_type: violation_sequence", "entry_type: story");

    // YAML: the witness.
    VERSION "version" Error false "The format version is known and has everything that the entry uses." (Waypoints, "          action: avoid\n", "          action: avoid\n          thread_id: 0\n");
    ENTRIES "entries" Error false "A witness has at least one entry, all of one kind; a violation witness has just one." (Invariants, "- entry_type: invariant_set", "- entry_type: violation_sequence\n  content: []\n  metadata: &m\n    format_version: \"2.0\"\n    uuid: 6f0aa4b2-7e4a-4f0c-9d7e-111111111111\n    creation_time: 2026-01-01T00:00:00Z\n    producer: {name: a person, version: \"1\"}\n    task:\n      input_files: [p.c]\n      input_file_hashes: {p.c: \"1111111111111111111111111111111111111111111111111111111111111111\"}\n      specification: G ! call(reach_error())\n      data_model: LP64\n      language: C\n- entry_type: invariant_set");
    SEGMENT "segment" Error false "A segment ends with its one waypoint that is followed, or with one of a cycle; those to avoid come before it." (Waypoints, "action: avoid", "action: follow");
    TARGET "target" Error false "The last segment, and no other, follows a target, or is part of a cycle." (Waypoints, "    - segment:\n      - waypoint:\n          type: target\n          action: follow\n          location:\n            file_name: p.c\n            line: 8\n            column: 14\n", "");
    CONSTRAINT "constraint" Error false "A waypoint has a constraint as its type demands: assumption and branching and function_return one, the others none." (Waypoints, "          constraint:\n            value: \"true\"\n", "");
    BRANCH_VALUE "branch-value" Error false "The constraint of a branching is true, false, default or an integer." (Waypoints, "value: \"true\"", "value: \"x > 1\"");
    RESULT_FORM "result-form" Error false "The constraint of a function_return compares \\result with a constant expression." (Waypoints, "\\\\result == 3", "3 == 3");
    FORMAT_FORM "format-form" Warning false "The format of a constraint is one that its type has: none for branching, ACSL or extended C for function_return, C for assumption." (Waypoints, "format: acsl_expression", "format: c_expression");
    FILE_NAME "file-name" Warning false "A location is in one of the input files of the task." (Waypoints, "file_name: p.c\n            line: 5", "file_name: other.c\n            line: 5");
    HASHES "hashes" Warning false "Each input file has a hash, and nothing else has." (Waypoints, "input_file_hashes: {p.c:", "input_file_hashes: {q.c:");

    // Against the program.
    HASH "hash" Warning false "The hash of the program is the one in the witness." (Program, "// The program", "// A program");
    LINE "line" Error false "A line is one of the program." (Violation, "<data key=\"startline\">7</data>", "<data key=\"startline\">70</data>");
    COLUMN "column" Error false "A column is inside its line." (Waypoints, "column: 17", "column: 170");
    OFFSET "offset" Warning false "An offset is inside the program (some producers count in the preprocessed text)." (Violation, "<data key=\"startline\">7</data>", "<data key=\"startline\">7</data><data key=\"startoffset\">70000</data>");
    FUNCTION "function" Error false "A function is one that the program declares, and holds the location it is named for." (Violation, "<data key=\"enterFunction\">main</data>", "<data key=\"enterFunction\">niam</data>");
    PLACE "place" Warning false "A location points to what its type stands for: a loop, a branch, the closing parenthesis of a call." (Waypoints, "column: 17", "column: 16");
    ASSIGNMENT "assignment" Warning false "An assumption is an expression; old producers write an assignment where they mean `==`." (Violation, "s &lt; v;", "s = v;");
    EXPRESSION "expression" Error false "An expression is C without side effects, and its names are visible where it stands." (Violation, "s &lt; v", "s &lt; w");
}
