//! Programs as Graphviz graphs, for looking at them: a cluster for each function that has a body, loop heads as double circles, edges
//! labelled with their operation as C text and, where the source is known, with its line.

use crate::display::op_to_c;
use crate::*;
use base::SourceMap;
use std::fmt::Write;

pub fn dot(program: &Program, sources: Option<&SourceMap>) -> String {
    let mut out = String::from(
        "digraph program {\n  node [shape=circle, fontname=\"monospace\"];\n  edge [fontname=\"monospace\"];\n",
    );
    for (id, function) in program.functions.iter() {
        let Body::Defined(automaton) = &function.body else { continue };
        // Writing to a `String` cannot fail.
        let _ = writeln!(out, "  subgraph cluster_{id} {{\n    label={};", quoted(program.function_name(id)));
        for location in automaton.locations.clone().map(LocId) {
            let mut attributes = Vec::new();
            if program.locations[location].loop_head.is_some() {
                attributes.push("shape=doublecircle");
            }
            if location == automaton.entry {
                attributes.push("style=bold");
            } else if location == automaton.exit {
                attributes.push("style=dashed");
            }
            let _ = writeln!(out, "    {location} [{}];", attributes.join(", "));
        }
        for edge in automaton.edges.clone().map(EdgeId) {
            let edge = &program.edges[edge];
            let line = sources.filter(|_| !edge.span.is_none()).and_then(|sources| sources.locate(edge.span.lo));
            let line = line.map_or(String::new(), |location| format!("{}: ", location.line));
            let label = quoted(&format!("{line}{}", op_to_c(program, &edge.op)));
            let color = if matches!(edge.op, Op::Poison(_)) { ", color=red" } else { "" };
            let _ = writeln!(out, "    {} -> {} [label={label}{color}];", edge.from, edge.to);
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::sample;

    #[test]
    fn functions_are_clusters_and_loop_heads_double_circles() {
        let s = sample();
        let text = dot(&s.b.program, None);
        assert_eq!(text.matches("subgraph cluster_f").count(), 2);
        assert_eq!(text.matches("shape=doublecircle").count(), 1);
        assert!(text.contains("[label=\"[x < 10]\"]") && text.contains("[label=\"[!(x < 10)]\"]"), "{text}");
        assert!(text.contains("label=\"unsupported: inline \\\"asm\\\"\", color=red"), "{text}");
        assert_eq!(text.matches('{').count(), text.matches('}').count());
    }

    #[test]
    fn lines_come_from_the_source() {
        let mut s = sample();
        let mut sources = SourceMap::new();
        sources.add("a.c", b"int f;\nreturn 0;\n".repeat(10)).unwrap();
        s.b.program.edges[EdgeId(0)].span = base::Span::new(9, 12);
        assert!(dot(&s.b.program, Some(&sources)).contains("label=\"2: return a\""));
    }
}
