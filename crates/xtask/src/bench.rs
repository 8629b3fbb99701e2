//! What renyi costs, as ratios beside references measured in the same run.
//!
//! Each pair of commands runs in turn, several times; medians are compared. CPU
//! is user and system time of the child as the kernel accounts it (in ticks of
//! 10 ms), so that a busy machine does not count; wall time is given for what is
//! too short for ticks. Peak memory is the child's high-water mark as last seen
//! before it ended.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};

const RUNS: usize = 5;

/// What one run of a command took.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    wall: f64,
    cpu: f64,
    peak_kib: u64,
}

pub struct Tools {
    pub renyi: PathBuf,
    floor: PathBuf,
    pub scratch: PathBuf,
}

pub fn run(places: &[String]) -> anyhow::Result<()> {
    let tools = tools()?;
    if places == ["renyi"] {
        return made_project(&tools);
    }
    let mut corpora: Vec<PathBuf> = places.iter().map(PathBuf::from).collect();
    if corpora.is_empty() {
        corpora = default_corpora(&tools)?;
    }
    println!("| corpus | files | definitions | cold CPU s | floor CPU s | ratio | peak MB | store MB |");
    println!("|---|---|---|---|---|---|---|---|");
    for corpus in &corpora {
        cold(&tools, corpus)?;
    }
    println!("\n| corpus | again, wall s | git status, wall s | ratio |\n|---|---|---|---|");
    for corpus in &corpora {
        again(&tools, corpus)?;
    }
    println!(
        "\n| repository | revision 1 commit away, wall s | diff, wall s | git diff-tree -r, wall s | ratio |"
    );
    println!("|---|---|---|---|---|");
    for corpus in corpora.iter().filter(|corpus| corpus.join(".git").exists()) {
        revisions(&tools, corpus)?;
    }
    println!(
        "\n| repository | commits | store MB | git pack MB | ratio | s per commit |\n|---|---|---|---|---|---|"
    );
    for corpus in corpora.iter().filter(|corpus| corpus.join(".git").exists()) {
        history(&tools, corpus)?;
    }
    println!();
    made_project(&tools)
}

/// A made project of the Renyi language with 100,000 definitions: in one process, and by commands.
fn made_project(tools: &Tools) -> anyhow::Result<()> {
    const MODULES: &str = "2000";
    const FUNCTIONS: &str = "45";
    let beside = |name: &str| tools.renyi.with_file_name(name);
    let status = Command::new(beside("renyi_check"))
        .args([MODULES, FUNCTIONS])
        .status()?;
    if !status.success() {
        bail!("renyi_check failed");
    }
    let place = tools.scratch.join("made");
    let _ = fs::remove_dir_all(&place);
    let status = Command::new(beside("renyi_project"))
        .arg(&place)
        .args([MODULES, FUNCTIONS, "7"])
        .status()?;
    if !status.success() {
        bail!("renyi_project failed");
    }
    println!("\n| command on it | wall s |\n|---|---|");
    let edited = place.join("part01000.ry");
    for (what, arguments) in [
        ("check", &["check", "-q"][..]),
        ("index, cold", &["index", "-q", "--hash"]),
        ("index, again", &["index", "-q", "--hash"]),
        ("index, one body edited", &["index", "-q", "--hash"]),
    ] {
        if what.ends_with("edited") {
            let text = fs::read_to_string(&edited)?;
            let Some(at) = text.rfind("  return ") else {
                bail!("no body to edit")
            };
            let (head, tail) = text.split_at(at + "  return ".len());
            fs::write(&edited, [head, "0 + ", tail].concat())?;
        }
        let started = Instant::now();
        let status = Command::new(&tools.renyi)
            .args(arguments)
            .current_dir(&place)
            .stdout(Stdio::null())
            .status()?;
        if !status.success() {
            bail!("{what} failed");
        }
        println!("| {what} | {:.2} |", started.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Builds what is measured.
pub fn tools() -> anyhow::Result<Tools> {
    let status = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "-p", "cli", "-p", "bench"])
        .status()?;
    if !status.success() {
        bail!("the release build failed");
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let target = fs::canonicalize(&target).with_context(|| format!("no {}", target.display()))?;
    let scratch = target.join("bench");
    fs::create_dir_all(&scratch)?;
    Ok(Tools {
        renyi: target.join("release/renyi"),
        floor: target.join("release/floor"),
        scratch,
    })
}

/// Django, a TypeScript package and the sources of our own dependencies, from
/// the registries; and this repository.
fn default_corpora(tools: &Tools) -> anyhow::Result<Vec<PathBuf>> {
    let django = tools.scratch.join("django");
    if !django.is_dir() {
        let script = "python3 -m pip download -q --no-deps --no-binary :all: django==5.2 && tar --no-same-owner -xf [Dd]jango-5.2.tar.gz && mv [Dd]jango-5.2 django";
        shell(&tools.scratch, script)?;
        shell(
            &django,
            "git init -q . && git add -A && git -c user.name=bench -c user.email=bench@localhost commit -qm django",
        )?;
    }
    let rxjs = tools.scratch.join("rxjs");
    if !rxjs.is_dir() {
        shell(
            &tools.scratch,
            "npm pack --silent rxjs@7.8.2 >/dev/null && tar --no-same-owner -xf rxjs-7.8.2.tgz && mv package/src rxjs && rm -rf package",
        )?;
    }
    let crates = tools.scratch.join("crates");
    if !crates.is_dir() {
        shell(
            &tools.scratch,
            "mkdir crates && cp -r ${CARGO_HOME:-$HOME/.cargo}/registry/src/*/* crates/",
        )?;
    }
    Ok(vec![fs::canonicalize(".")?, django, rxjs, crates])
}

pub fn shell(directory: &Path, script: &str) -> anyhow::Result<()> {
    let status = Command::new("sh")
        .arg("-ec")
        .arg(script)
        .current_dir(directory)
        .status()?;
    if !status.success() {
        bail!("`{script}` failed in {}", directory.display());
    }
    Ok(())
}

fn cold(tools: &Tools, corpus: &Path) -> anyhow::Result<()> {
    let store = tools.scratch.join("store-cold");
    let (mut index, mut floor) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        remove(&store)?;
        index.push(measure(
            renyi(tools, &store, corpus)
                .args(["index", "--hash", "-q"])
                .arg(corpus),
        )?);
        floor.push(measure(Command::new(&tools.floor).arg(corpus))?);
    }
    let stats = renyi(tools, &store, corpus)
        .args(["index", "--summary"])
        .arg(corpus)
        .output()?;
    let remark = String::from_utf8_lossy(&stats.stderr).into_owned();
    let count = |word: &str| {
        let before = remark.split(word).next().unwrap_or("");
        before
            .rsplit(|c: char| !c.is_ascii_digit())
            .find(|digits| !digits.is_empty())
            .unwrap_or("?")
            .to_owned()
    };
    let (index, floor) = (median(&index), median(&floor));
    println!(
        "| {} | {} | {} | {:.2} | {:.2} | {:.2} | {:.0} | {:.1} |",
        name(corpus),
        count(" files"),
        count(" definitions"),
        index.cpu,
        floor.cpu,
        index.cpu / floor.cpu.max(0.01),
        index.peak_kib as f64 / 1024.0,
        megabytes(&store.join("objects")),
    );
    Ok(())
}

fn again(tools: &Tools, corpus: &Path) -> anyhow::Result<()> {
    let store = tools.scratch.join("store-again");
    remove(&store)?;
    let index = || -> anyhow::Result<Cost> {
        measure(
            renyi(tools, &store, corpus)
                .args(["index", "--hash", "-q"])
                .arg(corpus),
        )
    };
    index()?;
    // Files touched within two seconds are read again: let the cache settle.
    std::thread::sleep(Duration::from_secs(3));
    index()?;
    let has_git = corpus.join(".git").exists();
    let (mut renyi, mut git) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        renyi.push(index()?);
        if has_git {
            git.push(measure(
                Command::new("git")
                    .arg("-C")
                    .arg(corpus)
                    .arg("status")
                    .arg("--porcelain"),
            )?);
        }
    }
    let renyi = median(&renyi);
    if has_git {
        let git = median(&git);
        println!(
            "| {} | {:.3} | {:.3} | {:.1} |",
            name(corpus),
            renyi.wall,
            git.wall,
            renyi.wall / git.wall
        );
    } else {
        println!("| {} | {:.3} | - | - |", name(corpus), renyi.wall);
    }
    Ok(())
}

fn revisions(tools: &Tools, corpus: &Path) -> anyhow::Result<()> {
    if git(corpus, &["rev-parse", "-q", "--verify", "HEAD~1"]).is_err() {
        return Ok(());
    }
    let store = tools.scratch.join("store-revisions");
    let (mut next, mut diff, mut reference) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        remove(&store)?;
        let index = |revision: &str| -> anyhow::Result<Cost> {
            measure(
                renyi(tools, &store, corpus)
                    .args(["index", "--hash", "-q", "--rev", revision])
                    .arg(corpus),
            )
        };
        index("HEAD~1")?;
        next.push(index("HEAD")?);
        for _ in 0..3 {
            diff.push(measure(
                renyi(tools, &store, corpus)
                    .args(["diff", "HEAD~1", "HEAD", "--path"])
                    .arg(corpus),
            )?);
            reference.push(measure(Command::new("git").arg("-C").arg(corpus).args([
                "diff-tree",
                "-r",
                "HEAD~1",
                "HEAD",
            ]))?);
        }
    }
    let (next, diff, reference) = (median(&next), median(&diff), median(&reference));
    println!(
        "| {} | {:.3} | {:.4} | {:.4} | {:.1} |",
        name(corpus),
        next.wall,
        diff.wall,
        reference.wall,
        diff.wall / reference.wall
    );
    Ok(())
}

fn history(tools: &Tools, corpus: &Path) -> anyhow::Result<()> {
    const COMMITS: usize = 200;
    let listed = git(
        corpus,
        &["rev-list", "--first-parent", "-n", &COMMITS.to_string(), "HEAD"],
    )?;
    let commits: Vec<&str> = listed.lines().collect();
    let store = tools.scratch.join("store-history");
    remove(&store)?;
    let limit = COMMITS.to_string();
    let cost = measure(
        renyi(tools, &store, corpus)
            .args(["index", "-q", "--rev", "..HEAD", "--limit", &limit])
            .arg(corpus),
    )?;
    // Git's own pack of the same commits and all they hold.
    let clone = tools.scratch.join("history.git");
    remove(&clone)?;
    let url = format!("file://{}", fs::canonicalize(corpus)?.display());
    let status = Command::new("git")
        .args([
            "clone",
            "-q",
            "--bare",
            "--single-branch",
            "--depth",
            &limit,
            &url,
        ])
        .arg(&clone)
        .status()?;
    if !status.success() {
        bail!("git clone of {} failed", corpus.display());
    }
    shell(&clone, "git repack -qad")?;
    let (ours, theirs) = (
        megabytes(&store.join("objects")),
        megabytes(&clone.join("objects")),
    );
    println!(
        "| {} | {} | {ours:.2} | {theirs:.2} | {:.2} | {:.3} |",
        name(corpus),
        commits.len(),
        ours / theirs.max(0.001),
        cost.wall / commits.len().max(1) as f64
    );
    Ok(())
}

fn renyi(tools: &Tools, store: &Path, corpus: &Path) -> Command {
    let mut command = Command::new(&tools.renyi);
    command.arg("--store").arg(store).current_dir(corpus);
    command
}

fn git(corpus: &Path, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(corpus)
        .args(arguments)
        .output()?;
    if !output.status.success() {
        bail!("git {} failed", arguments.join(" "));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command with its output thrown away.
fn measure(command: &mut Command) -> anyhow::Result<Cost> {
    let before = children_ticks()?;
    let started = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak_kib = 0;
    loop {
        if let Some(high) = high_water(&status) {
            peak_kib = peak_kib.max(high);
        }
        if child.try_wait()?.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_micros(
            if started.elapsed() < Duration::from_millis(50) {
                200
            } else {
                2000
            },
        ));
    }
    let wall = started.elapsed().as_secs_f64();
    Ok(Cost {
        wall,
        cpu: (children_ticks()? - before) as f64 / 100.0,
        peak_kib,
    })
}

fn high_water(status: &Path) -> Option<u64> {
    let status = fs::read_to_string(status).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// User and system ticks of the children waited for.
fn children_ticks() -> anyhow::Result<u64> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields = stat.rsplit(')').next().unwrap_or("");
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let tick = |at: usize| {
        fields
            .get(at)
            .and_then(|field| field.parse::<u64>().ok())
            .unwrap_or(0)
    };
    Ok(tick(13) + tick(14))
}

fn median(costs: &[Cost]) -> Cost {
    let middle = |of: fn(&Cost) -> f64| {
        let mut values: Vec<f64> = costs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(0.0)
    };
    Cost {
        wall: middle(|cost| cost.wall),
        cpu: middle(|cost| cost.cpu),
        peak_kib: middle(|cost| cost.peak_kib as f64) as u64,
    }
}

fn megabytes(directory: &Path) -> f64 {
    fn bytes(directory: &Path) -> u64 {
        let entries = fs::read_dir(directory).into_iter().flatten().flatten();
        entries
            .map(|entry| match entry.file_type() {
                Ok(kind) if kind.is_dir() => bytes(&entry.path()),
                _ => entry.metadata().map_or(0, |metadata| metadata.len()),
            })
            .sum()
    }
    bytes(directory) as f64 / 1e6
}

fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", path.display()))
        }
        _ => Ok(()),
    }
}

fn name(corpus: &Path) -> String {
    corpus
        .file_name()
        .map_or_else(|| ".".to_owned(), |name| name.to_string_lossy().into_owned())
}
