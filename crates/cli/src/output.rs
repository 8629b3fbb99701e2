//! Standard output and standard error: data to the first, all else to the second.

use std::{
    io::{self, BufWriter, IsTerminal, Write},
    sync::Mutex,
};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use world::{Progress, Stage};

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Color {
    Auto,
    Always,
    Never,
}

pub const BOLD: Style = Style::new().bold();
pub const DIM: Style = Style::new().dimmed();
pub const RED: Style = AnsiColor::Red.on_default();
pub const YELLOW: Style = AnsiColor::Yellow.on_default();

/// Where a command writes.
pub struct Output {
    stdout: BufWriter<io::Stdout>,
    styled: bool,
    stderr: AutoStream<io::Stderr>,
    quiet: bool,
}

impl Output {
    pub fn new(color: Color, quiet: bool) -> Self {
        let choose = |terminal: bool| match color {
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
            Color::Auto if terminal && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) => {
                ColorChoice::Always
            }
            Color::Auto => ColorChoice::Never,
        };
        Self {
            stdout: BufWriter::new(io::stdout()),
            styled: choose(io::stdout().is_terminal()) == ColorChoice::Always,
            stderr: AutoStream::new(io::stderr(), choose(io::stderr().is_terminal())),
            quiet,
        }
    }

    /// Standard output goes to a person.
    pub fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// One line of data.
    pub fn line(&mut self, text: impl std::fmt::Display) -> anyhow::Result<()> {
        if self.styled {
            writeln!(self.stdout, "{text}")?;
        } else {
            writeln!(self.stdout, "{}", anstream::adapter::strip_str(&text.to_string()))?;
        }
        Ok(())
    }

    /// Data as it is, no line end added.
    pub fn raw(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.stdout.write_all(bytes)?;
        Ok(())
    }

    /// A JSON document: two-space indentation, a line end.
    pub fn json(&mut self, value: &serde_json::Value) -> anyhow::Result<()> {
        serde_json::to_writer_pretty(&mut self.stdout, value).map_err(io::Error::from)?;
        self.line("")
    }

    /// A remark for people, on standard error.
    pub fn remark(&mut self, text: impl std::fmt::Display) {
        if !self.quiet {
            let _ = writeln!(self.stderr, "{DIM}{text}{DIM:#}");
        }
    }

    /// Something that did not go as it should. Not silenced.
    pub fn warning(&mut self, text: impl std::fmt::Display) {
        let _ = writeln!(self.stderr, "{YELLOW}warning{YELLOW:#}: {text}");
    }

    pub fn error(&mut self, error: &anyhow::Error) {
        // Library errors say their cause themselves; a context does not.
        let mut text = error.to_string();
        for cause in error.chain().skip(1).map(ToString::to_string) {
            if !text.contains(&cause) {
                text = format!("{text}: {cause}");
            }
        }
        let _ = writeln!(self.stderr, "{RED}renyi{RED:#}: {}", safe(&text));
    }

    pub fn flush(&mut self) -> anyhow::Result<()> {
        self.stdout.flush()?;
        Ok(())
    }
}

/// Whether the reader of our output went away, which is no trouble of ours.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    })
}

/// Text that may hold anything, made safe for a terminal: control characters
/// are escaped.
pub fn safe(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && c != '\n' && c != '\t' {
            safe.extend(c.escape_default());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// As [`safe`], for one line: line ends, tabs and characters that hide or reorder
/// others are escaped too.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        let hides = matches!(c,
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
        if c.is_control() || hides {
            line.extend(c.escape_default());
        } else {
            line.push(c);
        }
    }
    line
}

/// A bar on standard error, shown once work lasts.
pub struct Bar {
    bar: Mutex<Option<ProgressBar>>,
    quiet: bool,
}

impl Bar {
    pub fn new(quiet: bool) -> Self {
        Self {
            bar: Mutex::default(),
            quiet: quiet || !io::stderr().is_terminal(),
        }
    }
}

/// Stages shorter than this show no bar.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(300);

impl Progress for Bar {
    fn start(&self, stage: Stage, steps: usize) {
        if self.quiet {
            return;
        }
        let bar = ProgressBar::with_draw_target(Some(steps as u64), ProgressDrawTarget::stderr_with_hz(10));
        let template = if steps == 0 {
            "{msg} {elapsed}"
        } else {
            "{msg} {bar:30} {pos}/{len} {elapsed}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(stage.name());
        bar.enable_steady_tick(PATIENCE);
        if let Ok(mut held) = self.bar.lock() {
            *held = Some(bar);
        }
    }

    fn step(&self) {
        if !self.quiet
            && let Ok(held) = self.bar.lock()
            && let Some(bar) = &*held
        {
            bar.inc(1);
        }
    }

    fn finish(&self) {
        if let Ok(mut held) = self.bar.lock()
            && let Some(bar) = held.take()
        {
            bar.finish_and_clear();
        }
    }
}
