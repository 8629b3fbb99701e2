//! Projects made to be hard to link: circles, depth, breadth; and that the result
//! does not depend on how many threads there are.

use std::time::{Duration, Instant};

use polyglot::{
    FileIndex, Project, ProjectFile, front_end_for,
    link::{Linker, STACK_BYTES, Target},
    model::Skeleton,
};
use rayon::prelude::*;

struct Sources(Vec<(String, String)>);

impl Sources {
    fn new(files: impl IntoIterator<Item = (String, String)>) -> Self {
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort();
        Self(files)
    }

    /// What every reference of every file leads to, on a number of threads.
    fn link(&self, threads: usize) -> Vec<Vec<Target>> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK_BYTES)
            .build()
            .expect("threads");
        pool.install(|| {
            let skeletons: Vec<Skeleton> = self
                .0
                .par_iter()
                .map(|(path, text)| front_end_for(path).expect("a language").extract(text))
                .collect();
            let project = Project {
                files: self
                    .0
                    .iter()
                    .zip(&skeletons)
                    .map(|((path, _), skeleton)| ProjectFile {
                        path,
                        front_end: front_end_for(path).expect("a language"),
                        skeleton,
                    })
                    .collect(),
                configuration: Vec::new(),
            };
            let linker = Linker::new(&project);
            (0..project.files.len() as u32)
                .into_par_iter()
                .map(|file| linker.link_file(FileIndex(file)))
                .collect()
        })
    }

    /// Links with one thread and with several, which must agree.
    fn check(&self) -> Vec<Vec<Target>> {
        let one = self.link(1);
        for _ in 0..3 {
            assert!(self.link(4) == one, "the number of threads counts");
        }
        one
    }
}

fn resolved(targets: &[Vec<Target>]) -> usize {
    targets
        .iter()
        .flatten()
        .filter(|target| matches!(target, Target::Definition(_)))
        .count()
}

fn go(path: String, text: String) -> (String, String) {
    (path, text)
}

#[test]
fn circles_of_star_imports() {
    let files = (0..50).map(|n| {
        let (next, further) = ((n + 1) % 50, (n + 7) % 50);
        let text = format!(
            "package p{n}\nimport . \"p{next}\"\nimport . \"p{further}\"\ntype T{n} struct{{}}\nfunc (T{n}) M() {{}}\n\
             func F{n}() T{next} {{ return F{next}() }}\nfunc g() {{ F{n}().M(); Nowhere().M() }}\n"
        );
        go(format!("p{n}/a.go"), text)
    });
    let targets = Sources::new(files).check();
    assert!(resolved(&targets) >= 250, "{}", resolved(&targets));
}

#[test]
fn circles_of_aliases_values_and_bases() {
    let text = "package p\n\
        type A = B\ntype B = C\ntype C = A\n\
        var a = b\nvar b = c\nvar c = a\n\
        var d = d.e\nvar f = f()\nvar g = g[0]\nvar h = &h\n\
        type S struct { T }\ntype T struct { *S }\n\
        type L []L\ntype F func() F\ntype M map[M]M\n\
        func use(s S, l L, x F, m M, y A) {\n\
        \ta.x(); b.x(); d.x(); f.x(); g.x(); h.x(); a(); a[0].x()\n\
        \ts.x(); s.T.S.T.x(); l[0][0][0].x(); x()()().x(); m[nil][nil].x(); y.x()\n\
        \tvar z A\n\tz.x()\n}\n";
    Sources::new([go("p/a.go".into(), text.into())]).check();
}

#[test]
fn deep_inheritance_and_long_chains() {
    const DEEP: usize = 3_000;
    let mut text = String::from("package p\ntype T0 struct{}\nfunc (T0) M() {}\n");
    let mut constants = String::from("var v0 = T0{}\n");
    for n in 1..DEEP {
        text.push_str(&format!("type T{n} struct{{ T{} }}\n", n - 1));
        constants.push_str(&format!("var v{n} = v{}\n", n - 1));
    }
    text.push_str(&constants);
    text.push_str("func f() { v0.M(); v10.M(); v2999.M(); var t T20; t.M(); var u T2999; u.M() }\n");
    let calls = ".N()".repeat(DEEP);
    text.push_str(&format!("func (t T0) N() T0 {{ return t{calls} }}\n"));
    Sources::new([go("p/a.go".into(), text)]).check();
}

#[test]
fn many_files() {
    // One package of many files, and many packages that import each other.
    let mut files = Vec::new();
    for n in 0..2_000 {
        files.push(go(
            format!("one/f{n}.go"),
            format!(
                "package one\nfunc f{n}() {{ f{}(); f{}(); missing{n}(); other() }}\n",
                (n + 1) % 2_000,
                (n + 999) % 2_000
            ),
        ));
    }
    for n in 0..18_000 {
        files.push(go(
            format!("many/p{n}/a.go"),
            format!(
                "package p{n}\nimport \"many/p{}\"\ntype T struct{{ x *p{0}.T }}\nfunc (t *T) M() *p{0}.T {{ return t.x }}\n\
                 func New() *T {{ return p{0}.New().M().M() }}\n",
                (n * 7 + 1) % 18_000
            ),
        ));
    }
    let sources = Sources::new(files);
    let started = Instant::now();
    let targets = sources.link(2);
    let took = started.elapsed();
    // Two neighbours of each file; five names of each package, at least.
    assert!(
        resolved(&targets) >= 2 * 2_000 + 5 * 18_000,
        "{}",
        resolved(&targets)
    );
    assert!(took < Duration::from_secs(60), "{took:?}");
}
