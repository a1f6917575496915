//! A function that calls another with arrays for its pointers, as text: their contents, and all other arguments, are inputs.

use cfa::{FuncId, Program, Type};

/// The text of the function `caller`, to be compiled behind the program.
pub fn call_with_arrays(program: &Program, function: FuncId, elements: u32, caller: &str) -> Result<String, String> {
    let name = program.function_name(function);
    let mut text = format!("\n# 1 \"arrays for {name}\"\n");
    let (mut body, mut arguments) = (String::new(), Vec::new());
    for (index, param) in program.functions[function].params.iter().enumerate() {
        let var = &program.vars[*param];
        let argument = program.name(var.name).to_string();
        let declare = |ty, name: String| program.types.declare(ty, name, &program.names);
        match program.types.pointee(var.ty) {
            Some(target) if matches!(program.types.get(target), Type::Function(_)) => {
                return Err(format!(
                    "parameter `{argument}` of `{name}` points to a function: there is no array of those"
                ));
            }
            Some(target) => {
                let element = if program.types.size_of(target).is_some() { target } else { cfa::TypeId::CHAR };
                body.push_str(&format!("  {};\n", declare(element, format!("{argument}[{elements}]"))));
            }
            None if program.types.is_scalar(var.ty) => {
                text.push_str(&format!("extern {};\n", declare(var.ty, format!("nondet_argument_{index}(void)"))));
                body.push_str(&format!("  {} = nondet_argument_{index}();\n", declare(var.ty, argument.clone())));
            }
            None => body.push_str(&format!("  {};\n", declare(var.ty, argument.clone()))),
        }
        arguments.push(argument);
    }
    Ok(format!("{text}void {caller}(void) {{\n{body}  {name}({});\n}}\n", arguments.join(", ")))
}
