//! Projects of the Renyi language that check without a word, of any size, told by a number.
//!
//! A module has a record, a sum, a constant, functions and a test. Functions call earlier ones of
//! their own and of imported modules, so that references go deep; every definition but a
//! module's last few is used by others.

use std::fmt::Write as _;

/// What is generated.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub seed: u64,
    pub modules: usize,
    /// Functions per module; five more definitions stand beside them.
    pub functions: usize,
    /// Every function of the later modules calls the first function of the first.
    pub leaf_used_by_all: bool,
}

/// A file by its path from the project's root. The manifest comes first.
pub type File = (String, String);

/// The files of a project, texts in canonical layout.
pub fn project(shape: Shape) -> Vec<File> {
    let mut files = vec![(
        "renyi.json".to_owned(),
        "{\n  \"name\": \"made\",\n  \"version\": \"0.1.0\",\n  \"dependencies\": {}\n}\n".to_owned(),
    )];
    for module in 0..shape.modules {
        let text = Module::new(shape, module).text();
        // What is written loosely here stands in canonical layout in the project.
        let canonical = syntax::format::format(&text, syntax::Mode::Module);
        files.push((format!("part{module:05}.ry"), canonical.unwrap_or(text)));
    }
    files
}

/// A generator of numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((value ^ (value >> 31)) % limit.max(1) as u64) as usize
    }
}

/// How a function of a module can be called. It follows from the module and the function alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Plain,
    /// Fails with the module's sum.
    Fallible,
    /// Takes the module's record.
    OfRecord,
}

fn manner(shape: Shape, module: usize, function: usize) -> Manner {
    let mut numbers = Numbers(shape.seed ^ ((module as u64) << 24) ^ function as u64);
    match numbers.below(4) {
        // The first one is for everybody.
        _ if function == 0 => Manner::Plain,
        0 => Manner::Fallible,
        1 => Manner::OfRecord,
        _ => Manner::Plain,
    }
}

struct Module {
    shape: Shape,
    module: usize,
    imports: Vec<usize>,
    numbers: Numbers,
    /// Names bound so far in the function at hand.
    bound: usize,
}

impl Module {
    fn new(shape: Shape, module: usize) -> Self {
        let mut numbers = Numbers(shape.seed.wrapping_mul(31).wrapping_add(module as u64));
        let mut imports = Vec::new();
        if module > 0 {
            for _ in 0..3 {
                let near = module.min(20);
                let import = module - 1 - numbers.below(near);
                if !imports.contains(&import) {
                    imports.push(import);
                }
            }
            if shape.leaf_used_by_all && !imports.contains(&0) {
                imports.push(0);
            }
            imports.sort_unstable();
        }
        Self {
            shape,
            module,
            imports,
            numbers,
            bound: 0,
        }
    }

    fn text(mut self) -> String {
        let number = self.module;
        let mut out = format!("module part{number:05}\n  purpose: Part {number} of a made project.\n\n");
        for import in &self.imports {
            let _ = writeln!(out, "import part{import:05}");
        }
        let _ = write!(
            out,
            "\npublic type Item{number}\n  purpose: Things of part {number}.\n  has amount: Integer\n  has label: Text\n  \
             can ToText\nend\n\npublic type Fault{number} is one of\n  purpose: What goes wrong in part {number}.\n  \
             Wrong{number}(amount: Integer)\n  Empty{number}\n  can ToText\nend\n\npublic let limit_{number}: Integer be {}\n  \
             purpose: The most of part {number}.\n\npublic function label_{number}(self: Item{number}) returns Text\n  \
             purpose: The label of an item.\n\n  return \"{{self.label}} {{self.amount}}\"\nend\n",
            self.numbers.below(1000)
        );
        for function in 0..self.shape.functions {
            self.function(function, &mut out);
        }
        let _ = write!(
            out,
            "\ntest \"part {number}\"\n  check step_{number}_0(1) is step_{number}_0(1)\n  check Item{number}(amount: 1, \
             label: \"a\").label_{number}().length() is greater than 0\nend\n"
        );
        out
    }

    fn function(&mut self, function: usize, out: &mut String) {
        let (module, shape) = (self.module, self.shape);
        self.bound = 0;
        let kind = manner(shape, module, function);
        let (parameters, fails, start) = match kind {
            Manner::Plain => ("input: Integer".to_owned(), String::new(), "input"),
            Manner::Fallible => (
                "input: Integer".to_owned(),
                format!(" or fails with Fault{module}"),
                "input",
            ),
            Manner::OfRecord => (format!("item: Item{module}"), String::new(), "item.amount"),
        };
        let _ = write!(
            out,
            "\npublic function step_{module}_{function}({parameters}) returns Integer{fails}\n  purpose: Step {function}.\n\n"
        );
        let mut values = vec![start.to_owned()];
        if kind == Manner::Fallible {
            let _ = writeln!(
                out,
                "  if input is less than -{} then fail with Wrong{module}(amount: input) end",
                1000 + self.numbers.below(1000)
            );
        }
        if shape.leaf_used_by_all && (module, function) != (0, 0) {
            let call = self.call(0, 0, "1");
            values.push(format!("({call})"));
        }
        for _ in 0..1 + self.numbers.below(4) {
            let value = self.statement(function, &values, out);
            values.push(value);
        }
        let _ = writeln!(out, "  return {}\nend", values.join(" + "));
    }

    /// Writes a statement, and gives a value of it.
    fn statement(&mut self, function: usize, values: &[String], out: &mut String) -> String {
        let (module, position) = (self.module, self.bound);
        self.bound += 1;
        let value = values[self.numbers.below(values.len())].clone();
        let name = format!("value_{position}");
        let literal = self.numbers.below(100);
        match self.numbers.below(7) {
            0 | 1 => {
                let call = self.some_call(function, &value);
                let _ = writeln!(out, "  let {name} be {call}");
            }
            2 => {
                let _ = write!(
                    out,
                    "  let mutable {name} be 0\n  for each item_{position} in [{value}, {literal}]\n    change {name} to {name} \
                     + item_{position}\n  end\n"
                );
            }
            3 => {
                let _ = writeln!(
                    out,
                    "  let {name} be for each item_{position} from 0 to {literal} where item_{position} is greater than \
                     {value} sum item_{position}"
                );
            }
            4 => {
                let _ = write!(
                    out,
                    "  let fault_{position}: Fault{module} be Wrong{module}(amount: {value})\n  let {name} be\n    match \
                     fault_{position}\n      when Wrong{module}(amount) then amount\n      when Empty{module} then {literal}\n    end\n"
                );
            }
            5 => {
                let _ = writeln!(
                    out,
                    "  let {name} be if {value} is at most limit_{module} then {literal} otherwise {value} * 2 end"
                );
            }
            _ => {
                let _ = writeln!(
                    out,
                    "  let {name} be Item{module}(amount: {value}, label: \"n{literal}\").label_{module}().length()"
                );
            }
        }
        name
    }

    /// A call of an earlier function, here or in an imported module.
    fn some_call(&mut self, function: usize, argument: &str) -> String {
        let own = self.imports.is_empty() || self.numbers.below(2) == 0;
        if own {
            if function == 0 {
                return format!("{argument} + {}", self.numbers.below(10));
            }
            let callee = self.numbers.below(function);
            return self.call(self.module, callee, argument);
        }
        let import = self.imports[self.numbers.below(self.imports.len())];
        let callee = self.numbers.below(self.shape.functions);
        // Another module's record is not exposed here.
        let callee = match manner(self.shape, import, callee) {
            Manner::OfRecord => 0,
            _ => callee,
        };
        self.call(import, callee, argument)
    }

    fn call(&self, module: usize, function: usize, argument: &str) -> String {
        let namespace = if module == self.module {
            String::new()
        } else {
            format!("part{module:05}.")
        };
        let name = format!("{namespace}step_{module}_{function}");
        match manner(self.shape, module, function) {
            Manner::Plain => format!("{name}({argument})"),
            Manner::Fallible => format!("{name}({argument}) otherwise 0"),
            Manner::OfRecord => format!("{name}(Item{module}(amount: {argument}, label: \"x\"))"),
        }
    }
}
