//! The layout engine of section 3.1.

use crate::report::MAX_LINE_WIDTH;

/// Choices tried per file before the last alternative is taken unseen: nested choices would
/// otherwise take time exponential in their depth.
const MAX_CHOICES: usize = 100_000;

#[derive(Clone, Debug)]
pub(super) enum Doc {
    Text(String),
    /// Text whose blanks at the end stay: a line of a block text.
    Content(String),
    /// A space when flat, a line break when broken.
    Soft,
    /// Nothing when flat, a line break when broken.
    Gap,
    Hard,
    /// Nothing, but its group is not flat.
    Break,
    Concat(Vec<Doc>),
    Indent(Box<Doc>),
    Group(Box<Doc>),
    Flat(Box<Doc>),
    /// An outermost argument list, as a group.
    Arguments(Box<Doc>),
    /// A group that is broken.
    Broken(Box<Doc>),
    Choice(Vec<Doc>),
}

pub(super) fn text(content: impl Into<String>) -> Doc {
    Doc::Text(content.into())
}

pub(super) fn concat(parts: Vec<Doc>) -> Doc {
    Doc::Concat(parts)
}

pub(super) fn indent(part: Doc) -> Doc {
    Doc::Indent(Box::new(part))
}

pub(super) fn group(part: Doc) -> Doc {
    Doc::Group(Box::new(part))
}

pub(super) fn flat(part: Doc) -> Doc {
    Doc::Flat(Box::new(part))
}

impl Doc {
    /// Columns when flat; none when it cannot be.
    pub(super) fn flat_width(&self) -> Option<usize> {
        match self {
            Self::Text(content) | Self::Content(content) => Some(content.chars().count()),
            Self::Soft => Some(1),
            Self::Gap => Some(0),
            Self::Hard | Self::Break | Self::Broken(_) => None,
            Self::Concat(parts) => parts
                .iter()
                .try_fold(0, |sum, part| Some(sum + part.flat_width()?)),
            Self::Indent(part) | Self::Group(part) | Self::Flat(part) | Self::Arguments(part) => {
                part.flat_width()
            }
            Self::Choice(alternatives) => alternatives.first()?.flat_width(),
        }
    }

    /// A comment ends a line inside: nothing around it can be flat.
    fn has_comment(&self) -> bool {
        match self {
            Self::Break => true,
            Self::Text(_) | Self::Content(_) | Self::Soft | Self::Gap | Self::Hard => false,
            Self::Concat(parts) | Self::Choice(parts) => parts.iter().any(Self::has_comment),
            Self::Indent(part)
            | Self::Group(part)
            | Self::Flat(part)
            | Self::Arguments(part)
            | Self::Broken(part) => part.has_comment(),
        }
    }

    /// The same with its outermost argument list one per line; none when it has none.
    pub(super) fn with_broken_arguments(&self) -> Option<Doc> {
        match self {
            Self::Arguments(part) => Some(Self::Broken(part.clone())),
            Self::Concat(parts) => {
                let last = parts.last()?.with_broken_arguments()?;
                let mut parts = parts.clone();
                parts.pop();
                parts.push(last);
                Some(Self::Concat(parts))
            }
            _ => None,
        }
    }
}

#[derive(Clone)]
pub(super) struct Printer {
    out: String,
    /// Columns of the last line.
    column: usize,
    /// Blanks before here are content.
    kept: usize,
    /// Widest line so far.
    widest: usize,
    choices: usize,
}

impl Printer {
    pub(super) fn new() -> Self {
        Self {
            out: String::new(),
            column: 0,
            kept: 0,
            widest: 0,
            choices: 0,
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.strip();
        self.out
    }

    fn write(&mut self, content: &str) {
        self.out.push_str(content);
        self.column += content.chars().count();
    }

    fn strip(&mut self) {
        while self.out.len() > self.kept && self.out.ends_with(' ') {
            self.out.pop();
            self.column -= 1;
        }
        self.widest = self.widest.max(self.column);
    }

    fn newline(&mut self, indent: usize) {
        self.strip();
        self.out.push('\n');
        self.column = 0;
        self.write(&" ".repeat(indent));
    }

    pub(super) fn print(&mut self, doc: &Doc, indent: usize, is_flat: bool) {
        match doc {
            Doc::Text(content) => self.write(content),
            Doc::Content(content) => {
                self.write(content);
                if !content.is_empty() {
                    self.kept = self.out.len();
                }
            }
            Doc::Soft if is_flat => self.write(" "),
            Doc::Gap if is_flat => {}
            Doc::Soft | Doc::Gap | Doc::Hard => self.newline(indent),
            Doc::Break => {}
            Doc::Concat(parts) => {
                for part in parts {
                    self.print(part, indent, is_flat);
                }
            }
            Doc::Indent(part) => self.print(part, indent + 2, is_flat),
            Doc::Flat(part) => self.print(part, indent, !part.has_comment()),
            Doc::Broken(part) => self.print(part, indent, false),
            Doc::Group(part) | Doc::Arguments(part) => {
                let fits = (is_flat && !part.has_comment())
                    || part
                        .flat_width()
                        .is_some_and(|width| self.column + width <= MAX_LINE_WIDTH);
                self.print(part, indent, fits);
            }
            Doc::Choice(alternatives) => self.choose(alternatives, indent, is_flat),
        }
    }

    fn choose(&mut self, alternatives: &[Doc], indent: usize, is_flat: bool) {
        let Some((last, others)) = alternatives.split_last() else {
            return;
        };
        if is_flat && !alternatives[0].has_comment() {
            self.print(&alternatives[0], indent, true);
            return;
        }
        for alternative in others {
            if self.choices >= MAX_CHOICES {
                break;
            }
            self.choices += 1;
            let mut attempt = Self {
                out: String::new(),
                column: self.column,
                kept: 0,
                widest: 0,
                choices: self.choices,
            };
            attempt.print(alternative, indent, false);
            self.choices = attempt.choices;
            if attempt.widest.max(attempt.column) <= MAX_LINE_WIDTH {
                let kept = self.out.len() + attempt.kept;
                if attempt.kept > 0 {
                    self.kept = kept;
                }
                self.out.push_str(&attempt.out);
                self.column = attempt.column;
                self.widest = self.widest.max(attempt.widest);
                return;
            }
        }
        self.print(last, indent, false);
    }
}
