//! Flawless witnesses of one small program; the examples of the rules are changes to them.

/// What an example changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    Violation,
    Waypoints,
    Invariants,
    Program,
}

/// A change to a flawless witness (or to its program) that breaks a rule.
pub struct Example {
    pub base: Base,
    pub from: &'static str,
    pub to: &'static str,
}

pub const PROGRAM: &str = "\
// The program of the examples.
int input(void);
void reach_error(void);
int main(void) {
  int v = input();
  int s = v;
  while (s < 10) s += v;
  if (s < v) reach_error();
  return 0;
}
";

/// The flawless text itself. Its hash of the program is sixty-four ones, to be replaced by the hash of [`PROGRAM`].
pub fn text(base: Base) -> String {
    let raw = match base {
        Base::Violation => VIOLATION,
        Base::Waypoints => WAYPOINTS,
        Base::Invariants => INVARIANTS,
        Base::Program => PROGRAM,
    };
    raw.into()
}

const VIOLATION: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
 <key id="witness-type" for="graph"/>
 <key id="sourcecodelang" for="graph"/>
 <key id="producer" for="graph"/>
 <key id="specification" for="graph"/>
 <key id="programfile" for="graph"/>
 <key id="programhash" for="graph"/>
 <key id="architecture" for="graph"/>
 <key id="creationtime" for="graph"/>
 <key id="entry" for="node"/>
 <key id="sink" for="node"/>
 <key id="violation" for="node"/>
 <key id="cyclehead" for="node"/>
 <key id="invariant" for="node"/>
 <key id="startline" for="edge"/>
 <key id="endline" for="edge"/>
 <key id="startoffset" for="edge"/>
 <key id="control" for="edge"/>
 <key id="enterFunction" for="edge"/>
 <key id="returnFromFunction" for="edge"/>
 <key id="assumption" for="edge"/>
 <key id="assumption.scope" for="edge"/>
 <key id="assumption.resultfunction" for="edge"/>
 <graph edgedefault="directed">
  <data key="witness-type">violation_witness</data>
  <data key="sourcecodelang">C</data>
  <data key="producer">a person</data>
  <data key="specification">CHECK( init(main()), LTL(G ! call(reach_error())) )</data>
  <data key="programfile">p.c</data>
  <data key="programhash">1111111111111111111111111111111111111111111111111111111111111111</data>
  <data key="architecture">64bit</data>
  <data key="creationtime">2026-01-01T00:00:00Z</data>
  <node id="q0"><data key="entry">true</data></node>
  <node id="q1"/>
  <node id="q2"/>
  <node id="sink"><data key="sink">true</data></node>
  <node id="bad"><data key="violation">true</data></node>
  <edge source="q0" target="q1"><data key="enterFunction">main</data></edge>
  <edge source="q1" target="q2">
   <data key="startline">5</data>
   <data key="assumption">\result == 3; s &lt; v;</data>
   <data key="assumption.scope">main</data>
   <data key="assumption.resultfunction">input</data>
  </edge>
  <edge source="q2" target="sink"><data key="startline">7</data></edge>
  <edge source="q2" target="bad"><data key="control">condition-true</data></edge>
 </graph>
</graphml>
"#;

const WAYPOINTS: &str = r#"- entry_type: violation_sequence
  metadata:
    format_version: "2.0"
    uuid: 6f0aa4b2-7e4a-4f0c-9d7e-111111111111
    creation_time: 2026-01-01T00:00:00Z
    producer: {name: a person, version: "1", description: "main()"}
    task:
      input_files: [p.c]
      input_file_hashes: {p.c: "1111111111111111111111111111111111111111111111111111111111111111"}
      specification: G ! call(reach_error())
      data_model: LP64
      language: C
  content:
    - segment:
      - waypoint:
          type: branching
          action: avoid
          constraint:
            value: "true"
          location:
            file_name: p.c
            line: 7
            column: 3
            function: main
      - waypoint:
          type: function_return
          action: follow
          constraint:
            value: "\\result == 3"
            format: acsl_expression
          location:
            file_name: p.c
            line: 5
            column: 17
    - segment:
      - waypoint:
          type: target
          action: follow
          location:
            file_name: p.c
            line: 8
            column: 14
"#;

const INVARIANTS: &str = r#"- entry_type: invariant_set
  metadata:
    format_version: "2.0"
    uuid: 6f0aa4b2-7e4a-4f0c-9d7e-111111111111
    creation_time: 2026-01-01T00:00:00Z
    producer: {name: a person, version: "1"}
    task:
      input_files: [p.c]
      input_file_hashes: {p.c: "1111111111111111111111111111111111111111111111111111111111111111"}
      specification: G ! call(reach_error())
      data_model: LP64
      language: C
  content:
    - invariant:
        type: loop_invariant
        location: {file_name: p.c, line: 7, column: 3, function: main}
        value: s >= v && s < 20
        format: c_expression
"#;
