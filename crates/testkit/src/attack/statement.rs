//! Random statements: control flow with many ways back and out, objects of blocks whose addresses escape, memory, calls.

use super::generate::{Generator, LoopContext};
use super::scope::{BOOL, BYTE, INT, POINTEES, Pointer, TYPES};

/// What a flavour gives a weight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Statement {
    Assign,
    Declare,
    Point,
    Branch,
    Loop,
    /// `continue`, `break`, `goto` out of or back to the start of a loop.
    Jump,
    Switch,
    Call,
    Memory,
    Text,
    Heap,
    Input,
    /// Side effects under `&&`, `||`, `?:`.
    Effects,
    /// `memset`, `memcmp` and `memcpy` of records with padding.
    Padding,
    /// A function without a body that writes through its argument.
    Touch,
    Idiom,
    /// Early ends of the function or the program.
    End,
    Check,
}

/// Loops inside loops inside loops cost more than they show.
const MAX_LOOPS: usize = 2;

impl Generator<'_> {
    pub fn statement(&mut self) {
        let weights = self.flavour.statements;
        let total: usize = weights.iter().map(|(_, weight)| weight).sum();
        let mut at = self.random.below(total);
        let kind = weights.iter().find(|(_, weight)| {
            let here = at < *weight;
            at = at.saturating_sub(*weight);
            here
        });
        let kind = kind.map_or(Statement::Assign, |(kind, _)| *kind);
        match kind {
            Statement::Declare => self.declare(),
            Statement::Point => self.point(),
            Statement::Branch if self.room > 3 => self.branch(),
            Statement::Loop if self.room > 4 && self.loops.len() < MAX_LOOPS && !self.in_switch => {
                self.loop_statement()
            }
            Statement::Jump if !self.loops.is_empty() => self.jump(),
            Statement::Switch if self.room > 6 && !self.in_switch => self.switch(),
            Statement::Call if !self.callable.is_empty() => self.call(),
            Statement::Memory => self.memory(),
            Statement::Text => self.text(),
            Statement::Heap if self.room > 6 => self.heap(),
            Statement::Input => self.input(),
            Statement::Effects => self.effects(),
            Statement::Padding => self.padding(),
            Statement::Touch => self.touch(),
            Statement::Idiom if self.room > 3 => self.idiom(),
            Statement::End => self.end(),
            Statement::Check => self.check(1),
            _ => self.assign(),
        }
    }

    fn statements(&mut self, most: usize) {
        for _ in 0..1 + self.random.below(most) {
            self.statement();
        }
    }

    fn assign(&mut self) {
        if self.random.below(3) == 0 {
            let value = self.readable().0;
            return self.line(&format!("acc = acc * 3 + {value};"));
        }
        let Some((place, ty)) = self.assignable() else { return };
        let value = self.expression(2);
        let text = match self.random.below(6) {
            0 if ty != BOOL => format!("{place}{};", self.pick(&["++", "--"])),
            1 | 2 if ty != BOOL => format!("{place} {} {value};", self.pick(&["+=", "-=", "^=", "|=", "*=", "&="])),
            _ => format!("{place} = {value};"),
        };
        // `*p++` would move the pointer.
        let text = match text.strip_prefix('*') {
            Some(rest) if rest.ends_with("++;") || rest.ends_with("--;") => {
                format!("(*{}){}", &rest[..rest.len() - 3], &rest[rest.len() - 3..])
            }
            _ => text,
        };
        self.line(&text);
    }

    pub fn input(&mut self) {
        if self.inputs_left == 0 {
            return self.assign();
        }
        self.inputs_left -= 1;
        let name = self.fresh("in");
        match self.random.below(8) {
            0 if self.flavour.calls() => {
                let argument = self.simple();
                self.line(&format!("int {name} = outside({argument}) & 3;"));
                self.scope.scalar(name, INT, true, true);
            }
            1 if self.flavour.calls() => {
                self.line(&format!("unsigned char {name} = outside_byte() & 3;"));
                self.scope.scalar(name, BYTE, true, true);
            }
            2 => {
                self.line(&format!("char {name} = __VERIFIER_nondet_char();"));
                self.line(&format!("__VERIFIER_assume({name} >= 0 && {name} < 4);"));
                self.scope.scalar(name, 9, true, true);
            }
            _ => {
                let (ty, call) = loop {
                    let ty = self.random.below(TYPES.len());
                    if let Some(call) = TYPES[ty].input {
                        break (ty, call);
                    }
                };
                self.line(&format!("{} {name} = {call};", TYPES[ty].name));
                self.scope.scalar(name, ty, ty != BOOL, true);
            }
        }
    }

    pub fn declare(&mut self) {
        let name = self.fresh("v");
        match self.random.below(8) {
            0 | 1 => {
                let ty = self.some_type();
                let length = [2, 4][self.random.below(2)];
                let (first, second) = (self.initial(ty), self.initial(ty));
                self.line(&format!("{} {name}[{length}] = {{{first}, {second}}};", TYPES[ty].name));
                self.scope.array(name, ty, length);
            }
            2 => {
                let ty = POINTEES[self.random.below(POINTEES.len())];
                let (length, value) = (self.simple(), self.initial(ty));
                let index = self.fresh("q");
                self.line(&format!("{} {name}[2 + (({length}) & 1)];", TYPES[ty].name));
                self.line(&format!(
                    "for (unsigned long {index} = 0; {index} < sizeof {name} / sizeof {name}[0]; {index}++) {name}[{index}] = {value};"
                ));
                self.scope.array(name, ty, 2);
            }
            3 if self.flavour.records() => {
                let (first, second) = (self.simple(), self.simple());
                self.line(&format!("struct s0 {name} = {{.i = {first}, .h = {second}}};"));
                self.add_record(&name, "struct s0");
            }
            4 if self.flavour.records() => {
                let value = self.expression(1);
                self.line(&format!("union u0 {name} = {{ {value} }};"));
                self.add_record(&name, "union u0");
            }
            5 if !self.in_switch => self.declare_pointer(),
            6 if self.random.below(4) == 0 => {
                let ty = POINTEES[self.random.below(POINTEES.len())];
                let value = self.random.below(5);
                self.line(&format!("static {} {name} = {value};", TYPES[ty].name));
                self.scope.scalar(name, ty, true, true);
            }
            _ => {
                let ty = self.some_type();
                let value = self.initial(ty);
                self.line(&format!("{} {name} = {value};", TYPES[ty].name));
                self.scope.scalar(name, ty, ty != BOOL, true);
            }
        }
    }

    pub fn declare_pointer(&mut self) {
        let pointee = POINTEES[self.random.below(POINTEES.len())];
        let Some((address, target)) = self.address(pointee, None) else { return self.assign() };
        let name = self.fresh("p");
        self.line(&format!("{} *{name} = {address};", TYPES[pointee].name));
        self.scope.pointers.push(Pointer {
            name,
            pointee,
            depth: self.scope.depth,
            target: Some(target),
            longest: None,
        });
    }

    fn point(&mut self) {
        if self.scope.pointers.is_empty() || self.pointers_fixed {
            return self.assign();
        }
        let index = self.random.below(self.scope.pointers.len());
        let pointer = self.scope.pointers[index].clone();
        let Some((address, target)) = self.address(pointer.pointee, pointer.longest) else { return self.assign() };
        self.line(&format!("{} = {address};", pointer.name));
        self.scope.pointers[index].target = Some(target);
    }

    fn branch(&mut self) {
        let condition = self.condition();
        let before = self.scope.targets();
        let with_else = self.random.below(2) == 0;
        self.block(&format!("if ({condition}) {{"), if with_else { "} else {" } else { "}" }, |this| {
            this.statements(2)
        });
        let after = self.scope.targets();
        self.scope.set_targets(&before);
        if with_else {
            // The opening line was the other branch's last.
            let open = self.lines.pop().unwrap_or_default();
            self.block(open.trim_start(), "}", |this| this.statements(2));
        }
        self.scope.merge(&after);
    }

    /// Every loop counts its rounds, so every run ends.
    fn loop_statement(&mut self) {
        let counter = self.fresh("k");
        let rounds = match self.random.below(3) {
            0 => format!("(({}) & 3)", self.simple()),
            _ => (1 + self.random.below(3)).to_string(),
        };
        let start = self.scope.start_loop(&mut self.random);
        let condition = self.condition();
        let (outer_switch, outer_fixed) = (self.in_switch, self.pointers_fixed);
        self.in_switch = false;
        self.pointers_fixed = false;
        let context = |again: &str, leave: &str| LoopContext { again: (again.into(), None), leave: leave.into() };
        match self.random.below(6) {
            0 => {
                self.loops.push(context("continue", "break"));
                let head = format!("for (int {counter} = 0; {counter} < {rounds}; {counter}++) {{");
                self.block(&head, "}", |this| this.round(&counter));
            }
            1 => {
                self.line(&format!("int {counter} = 0;"));
                self.loops.push(context("continue", "break"));
                self.block(&format!("while ({counter} < {rounds} && ({condition})) {{"), "}", |this| {
                    this.line(&format!("{counter}++;"));
                    this.round(&counter);
                });
            }
            2 => {
                self.line(&format!("int {counter} = 0;"));
                self.loops.push(context("continue", "break"));
                let tail = format!("}} while (++{counter} < {rounds} && ({condition}));");
                self.block("do {", &tail, |this| this.round(&counter));
            }
            3 => {
                self.line(&format!("int {counter} = 0;"));
                self.loops.push(context("continue", "break"));
                self.block("for (;;) {", "}", |this| {
                    this.line(&format!("if ({counter}++ >= {rounds}) break;"));
                    this.round(&counter);
                });
            }
            _ => self.goto_loop(&counter, &rounds, &condition),
        }
        self.loops.pop();
        self.in_switch = outer_switch;
        self.pointers_fixed = outer_fixed;
        self.scope.end_loop(&start);
    }

    /// A loop made of a label and jumps back to it, from several places, over declarations.
    fn goto_loop(&mut self, counter: &str, rounds: &str, condition: &str) {
        let (again, done) = (self.fresh("again"), self.fresh("done"));
        let more = format!("{counter} < {rounds}");
        self.loops
            .push(LoopContext { again: (format!("goto {again}"), Some(more.clone())), leave: format!("goto {done}") });
        self.line(&format!("int {counter} = 0;"));
        self.block("{", "}", |this| {
            this.line(&format!("{again}: {counter}++;"));
            this.declare();
            this.round(counter);
            this.line(&format!("if ({more} && ({condition})) goto {again};"));
        });
        self.line(&format!("{done}: ;"));
    }

    fn round(&mut self, counter: &str) {
        self.scope.scalar(counter, INT, false, false);
        if self.random.below(2) == 0 {
            self.declare();
        }
        if self.random.below(2) == 0 {
            self.escape();
        }
        self.statements(3);
        if self.flavour.has(Statement::Jump) && self.random.below(3) > 0 {
            self.jump();
            self.statements(2);
        }
    }

    /// A pointer from outside gets the address of an object of this block, perhaps only in some rounds.
    fn escape(&mut self) {
        let outer: Vec<usize> = (0..self.scope.pointers.len())
            .filter(|index| {
                let pointer = &self.scope.pointers[*index];
                pointer.depth < self.scope.depth && pointer.longest.is_none()
            })
            .collect();
        if outer.is_empty() || self.pointers_fixed {
            return self.point();
        }
        let index = outer[self.random.below(outer.len())];
        let (pointer, pointee) = (self.scope.pointers[index].name.clone(), self.scope.pointers[index].pointee);
        let (name, value) = (self.fresh("e"), self.expression(1));
        self.line(&format!("{} {name} = {value};", TYPES[pointee].name));
        self.scope.scalar(name.clone(), pointee, true, true);
        let alive = self.scope.pointers[index].target.is_some();
        match alive && self.random.below(2) == 0 {
            true => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {pointer} = &{name};"));
            }
            false => self.line(&format!("{pointer} = &{name};")),
        }
        self.scope.pointers[index].target = Some(self.scope.depth);
    }

    fn jump(&mut self) {
        let condition = self.condition();
        // From any loop around, if it is left or repeated by a jump with a name.
        let innermost = self.loops.len() - 1;
        let index = self.random.below(self.loops.len());
        let named = self.loops[index].leave.starts_with("goto");
        let target = &self.loops[if named { index } else { innermost }];
        let (jump, allowed) = match self.random.below(3) {
            0 if !self.in_switch || target.leave.starts_with("goto") => (target.leave.clone(), None),
            _ => target.again.clone(),
        };
        let condition = match allowed {
            Some(allowed) => format!("{allowed} && ({condition})"),
            None => condition,
        };
        match self.random.below(2) {
            0 => self.line(&format!("if ({condition}) {jump};")),
            _ => {
                let before = self.scope.targets();
                self.block(&format!("if ({condition}) {{"), "}", |this| {
                    this.assign();
                    this.line(&format!("{jump};"));
                });
                self.scope.set_targets(&before);
            }
        }
    }

    fn switch(&mut self) {
        let value = self.expression(1);
        let outer = (self.in_switch, self.pointers_fixed);
        self.in_switch = true;
        self.pointers_fixed = true;
        self.block(&format!("switch (({value}) & 3) {{"), "}", |this| {
            let first = this.random.below(2);
            for (label, falls_through) in [(first, 1), (2, 0), (3, 2)] {
                let label = if label == 3 { "default".to_string() } else { format!("case {label}") };
                this.block(&format!("{label}: {{"), "}", |this| this.statements(2));
                if this.random.below(2) >= falls_through {
                    this.line("break;");
                }
            }
        });
        (self.in_switch, self.pointers_fixed) = outer;
    }

    fn call(&mut self) {
        let function = self.pick(&self.callable.clone());
        let (first, second) = (self.expression(1), self.expression(1));
        if function == "via" {
            let Some((address, _)) = self.address(INT, None) else { return self.assign() };
            return self.line(&format!("via({address}, {second});"));
        }
        let call = match function {
            "table" => format!("table[({first}) & 1]({first}, {second})"),
            "rec" => format!("rec(({first}) & 3, {second})"),
            _ => format!("{function}({first}, {second})"),
        };
        // The place is a plain object: whether it is found before or after the call is not specified.
        let places: Vec<String> = self
            .scope
            .scalars
            .iter()
            .filter(|scalar| scalar.assignable && scalar.depth > 0)
            .map(|scalar| scalar.text.clone())
            .collect();
        if places.is_empty() {
            return self.line(&format!("{call};"));
        }
        let place = places[self.random.below(places.len())].clone();
        self.line(&format!("{place} = {call};"));
    }

    /// Bytes of arrays and scalars, none of them padding.
    fn memory(&mut self) {
        let Some(array) = (!self.scope.arrays.is_empty())
            .then(|| self.scope.arrays[self.random.below(self.scope.arrays.len())].clone())
            .filter(|array| array.ty != BOOL)
        else {
            return self.assign();
        };
        let size = format!("{} * sizeof {}[0]", array.length, array.name);
        let other = self.scope.arrays[self.random.below(self.scope.arrays.len())].clone();
        match self.random.below(5) {
            0 => {
                let byte = self.simple();
                self.line(&format!("memset({}, {byte}, {size});", array.name));
            }
            1 => {
                let half = array.length / 2;
                self.line(&format!("memmove({0} + {half}, {0}, {half} * sizeof {0}[0]);", array.name));
            }
            2 if other.name.split('.').next() != array.name.split('.').next() && other.ty != BOOL => {
                let count = self.random.below(3);
                self.line(&format!("memcpy({}, {}, {count});", array.name, other.name));
            }
            3 => {
                let Some((place, ty)) = self.assignable().filter(|(_, ty)| *ty != BOOL) else { return };
                self.line(&format!(
                    "{place} = memcmp({}, {}, 2) {} 0;",
                    array.name,
                    other.name,
                    ["<", "==", ">"][ty % 3]
                ));
            }
            _ => {
                let name = self.fresh("b");
                self.line(&format!("unsigned char {name}[4];"));
                let from = self.address(INT, None).map_or(array.name.clone(), |(address, _)| address);
                let count = if from == array.name { 2 } else { 4 };
                self.line(&format!("memset({name}, 1, 4); memcpy({name}, {from}, {count});"));
                self.scope.array(name, BYTE, 4);
            }
        }
    }

    fn text(&mut self) {
        let (name, literal) = (self.fresh("t"), self.pick(&["", "a", "ab", "abc"]));
        self.line(&format!("char {name}[8] = \"{literal}\";"));
        self.scope.array(name.clone(), 9, 4);
        for _ in 0..1 + self.random.below(3) {
            let value = self.simple();
            let text = match self.random.below(7) {
                0 => format!("{name}[({value}) & 3] = 'a' + (({value}) & 3);"),
                1 => format!("strcpy({name} + (({value}) & 3), \"{}\");", self.pick(&["", "x", "xy"])),
                2 => format!("if (strlen({name}) < 3) strcat({name}, \"{}\");", self.pick(&["z", "yz"])),
                3 => format!("strncpy({name}, \"{}\", ({value}) & 3);", self.pick(&["b", "bcd"])),
                4 => {
                    let Some((place, _)) = self.assignable() else { return };
                    format!("{place} = strlen({name});")
                }
                5 => {
                    let Some((place, _)) = self.assignable() else { return };
                    format!(
                        "{place} = strcmp({name}, \"{}\") {} 0;",
                        self.pick(&["ab", "b", ""]),
                        self.pick(&["<", "==", ">"])
                    )
                }
                _ => {
                    let Some((place, _)) = self.assignable() else { return };
                    format!("{place} = strchr({name}, 'b') ? strchr({name}, 'b') - {name} : 9;")
                }
            };
            self.line(&text);
        }
    }

    /// An allocation with its own block, filled, used, sometimes resized, and freed at its end unless something jumps away.
    fn heap(&mut self) {
        let ty = POINTEES[self.random.below(POINTEES.len())];
        let type_name = TYPES[ty].name;
        let name = self.fresh("h");
        let (first, second) = (self.initial(ty), self.initial(ty));
        self.block("{", "}", |this| {
            match this.random.below(3) {
                0 => this.line(&format!("{type_name} *{name} = calloc(2, sizeof *{name});")),
                _ => this.line(&format!("{type_name} *{name} = malloc(2 * sizeof *{name});")),
            }
            this.line(&format!("if (!{name}) exit(0);"));
            this.line(&format!("{name}[0] = {first}; {name}[1] = {second};"));
            this.scope.array(name.clone(), ty, 2);
            this.statements(2);
            if this.random.below(3) == 0 {
                let larger = this.fresh("h");
                this.line(&format!("{type_name} *{larger} = realloc({name}, 4 * sizeof *{larger});"));
                this.line(&format!("if (!{larger}) exit(0);"));
                this.line(&format!("{larger}[2] = {larger}[1]; {larger}[3] = 1;"));
                // All pointers to the old block dangle.
                for pointer in &mut this.scope.pointers {
                    pointer.target = pointer.target.filter(|target| *target < this.scope.depth);
                }
                this.scope.arrays.retain(|array| array.name != name);
                this.scope.array(larger.clone(), ty, 4);
                this.statements(2);
                this.line(&format!("free({larger});"));
            } else {
                this.line(&format!("free({name});"));
            }
        });
    }

    fn effects(&mut self) {
        let plain: Vec<String> = self
            .scope
            .scalars
            .iter()
            .filter(|scalar| scalar.assignable && scalar.ty != BOOL && !scalar.text.contains('.'))
            .map(|scalar| scalar.text.clone())
            .collect();
        if plain.len() < 2 {
            return self.assign();
        }
        let first = self.random.below(plain.len());
        let second = (first + 1 + self.random.below(plain.len() - 1)) % plain.len();
        let (first, second) = (plain[first].clone(), plain[second].clone());
        let (left, right) = (self.constant(), self.constant());
        let text = match self.random.below(5) {
            0 => format!("if ({first} > {left} && ++{second} != {right}) {first}--;"),
            1 => format!("if ({first} == {left} || ({second} = {right}) < {first}) {second} += {first};"),
            2 => format!("{first} = {second} & 1 ? {second}++ : --{second};"),
            3 => format!("{first} = ({second} = {left}, {second} ^ {right});"),
            _ => format!("{first} = {second} && {second}++ < {right} && !--{second};"),
        };
        self.line(&text);
    }

    fn padding(&mut self) {
        let structs: Vec<String> = self
            .scope
            .records
            .iter()
            .filter(|record| record.tag == "struct s0")
            .map(|record| record.name.clone())
            .collect();
        if structs.is_empty() {
            return self.declare();
        }
        let first = structs[self.random.below(structs.len())].clone();
        let second = structs[self.random.below(structs.len())].clone();
        let text = match self.random.below(5) {
            0 => format!("memset(&{first}, {}, sizeof {first});", self.pick(&["0", "255", "1"])),
            1 if first != second => format!("memcpy(&{first}, &{second}, sizeof {first});"),
            2 => {
                let Some((place, _)) = self.assignable() else { return };
                format!("{place} = memcmp(&{first}, &{second}, sizeof {first}) == 0;")
            }
            3 => {
                let Some((place, _)) = self.assignable() else { return };
                format!("{place} = ((unsigned char *)&{first})[{}];", self.random.below(12))
            }
            _ => format!("{first} = {second};"),
        };
        self.line(&text);
    }

    fn touch(&mut self) {
        let Some((address, _)) = self.address(INT, None) else { return self.declare() };
        self.line(&format!("touch({address});"));
    }

    fn end(&mut self) {
        let condition = self.condition();
        let text = self.pick(&["return 3", "exit(0)", "abort()"]);
        self.line(&format!("if ({condition}) {text};"));
    }
}
