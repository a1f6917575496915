use base::*; use cfa::*;
fn main() {
    let mut memory = false; let mut dump = false; let mut model = DataModel::Ilp32;
    for arg in std::env::args().skip(1) {
        match arg.as_str() { "-m" => { memory = true; continue } "-u" => { memory = false; continue } "-d" => { dump = true; continue } "-64" => { model = DataModel::Lp64; continue } _ => {} }
        let text = std::fs::read(&arg).unwrap();
        let language = frontend::for_extension("c").unwrap();
        let mut sources = SourceMap::new();
        let file = sources.add(&arg, text).unwrap();
        let compiled = (language.compile)(&mut sources, &[file], model);
        let program = &compiled.program;
        let Some(entry) = program.function_named("main") else { println!("{arg}: no main {:?}", compiled.diagnostics.len()); continue };
        let properties = if memory { PropertySet::of(&[Property::ValidDeref, Property::ValidFree, Property::ValidMemtrack]) } else { PropertySet::of(&[Property::UnreachCall]) };
        let task = Task { program, entry, properties };
        let began = std::time::Instant::now();
        let result = shapes::analyze(task, &Budget::for_duration(std::time::Duration::from_secs(20)));
        let time = began.elapsed().as_millis();
        match result {
            Ok(found) => {
                let count: usize = found.states.values().map(Vec::len).sum();
                let began = std::time::Instant::now();
                let check = shapes::check(&found, task, &Budget::for_duration(std::time::Duration::from_secs(20)));
                println!("{arg}: PROVED {} heads {count} states {time} ms; check {check:?} {} ms", found.states.len(), began.elapsed().as_millis());
                if dump { println!("{found:#?}"); }
            }
            Err(trouble) => {
                let edge = match &trouble { shapes::Trouble::MayFail(e) | shapes::Trouble::Unsupported(e, _) | shapes::Trouble::LeftOpen(e, _) => Some(*e), _ => None };
                let place = edge.map(|edge| { let span = program.edges[edge].span; format!("{:?}", (sources.locate(span.lo), sources.snippet(span))) });
                println!("{arg}: {trouble:?} {time} ms at {place:?}");
            }
        }
    }
}
