//! Reserved words, and the phrases that are one token.

macro_rules! words {
    (single { $($single:ident => $spelling:literal,)* } phrase { $($phrase:ident => $words:literal,)* }) => {
        /// A reserved word, or a phrase of two or three words joined by one space each.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Word {
            $($single,)*
            $($phrase,)*
        }

        impl Word {
            pub const RESERVED: &[Self] = &[$(Self::$single,)*];
            pub const PHRASES: &[Self] = &[$(Self::$phrase,)*];

            pub fn spelling(self) -> &'static str {
                match self {
                    $(Self::$single => $spelling,)*
                    $(Self::$phrase => $words,)*
                }
            }

            /// The reserved word of exactly this spelling; never a phrase.
            pub fn from_spelling(text: &str) -> Option<Self> {
                match text {
                    $($spelling => Some(Self::$single),)*
                    _ => None,
                }
            }
        }
    };
}

words! {
    single {
        Ability => "ability", All => "all", Also => "also", And => "and", Any => "any", As => "as",
        At => "at", Be => "be", Break => "break", By => "by", Can => "can", Change => "change",
        Check => "check", Collect => "collect", Concurrently => "concurrently",
        Continue => "continue", Count => "count", Crash => "crash", Deprecated => "deprecated",
        Descending => "descending", Each => "each", End => "end", Example => "example",
        Expose => "expose", Exposing => "exposing", Fail => "fail", Fails => "fails",
        Failure => "failure", False => "false", First => "first", For => "for", From => "from",
        Function => "function", Greater => "greater", Group => "group", Has => "has", If => "if",
        Ignore => "ignore", Import => "import", In => "in", Is => "is", Lazy => "lazy",
        Least => "least", Less => "less", Let => "let", Match => "match", Maybe => "maybe",
        Module => "module", Most => "most", Mutable => "mutable", Needs => "needs", Not => "not",
        Nothing => "nothing", Of => "of", One => "one", Only => "only", Or => "or",
        Otherwise => "otherwise", Per => "per", Power => "power", Public => "public",
        Purpose => "purpose", Raw => "raw", Remainder => "remainder", Repeat => "repeat",
        Replays => "replays", Return => "return", Returns => "returns", Run => "run", See => "see",
        SelfWord => "self", Some => "some", Sorted => "sorted", Success => "success", Sum => "sum",
        Tags => "tags", Test => "test", Than => "than", Then => "then", To => "to", Tool => "tool",
        True => "true", Type => "type", Until => "until", When => "when", Where => "where",
        With => "with", Within => "within",
    }
    phrase {
        IsNot => "is not", IsLessThan => "is less than", IsAtMost => "is at most",
        IsGreaterThan => "is greater than", IsAtLeast => "is at least", IsOneOf => "is one of",
        OrFailsWith => "or fails with", ForEach => "for each", ForAny => "for any",
        RunConcurrently => "run concurrently", RepeatUntil => "repeat until",
        SortedBy => "sorted by", GroupBy => "group by", SeeAlso => "see also",
        ExposeAsTool => "expose as tool", AtMost => "at most", OnlyTo => "only to",
    }
}

impl Word {
    pub fn is_phrase(self) -> bool {
        Self::PHRASES.contains(&self)
    }

    /// The longest phrase at the start of `text`, whose first word is `self`.
    pub(super) fn phrase_at(self, text: &str) -> Option<Self> {
        let candidates: &[Self] = match self {
            // Longest first.
            Self::Is => &[
                Self::IsGreaterThan,
                Self::IsLessThan,
                Self::IsAtLeast,
                Self::IsAtMost,
                Self::IsOneOf,
                Self::IsNot,
            ],
            Self::Or => &[Self::OrFailsWith],
            Self::For => &[Self::ForEach, Self::ForAny],
            Self::Run => &[Self::RunConcurrently],
            Self::Repeat => &[Self::RepeatUntil],
            Self::Sorted => &[Self::SortedBy],
            Self::Group => &[Self::GroupBy],
            Self::See => &[Self::SeeAlso],
            Self::Expose => &[Self::ExposeAsTool],
            Self::At => &[Self::AtMost],
            Self::Only => &[Self::OnlyTo],
            _ => return None,
        };
        candidates.iter().copied().find(|phrase| {
            text.strip_prefix(phrase.spelling()).is_some_and(|rest| {
                !rest
                    .bytes()
                    .next()
                    .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            })
        })
    }

    /// A line that starts with it goes on where the line before it ended (section 1.8).
    pub fn continues_line(self) -> bool {
        matches!(
            self,
            Self::Where
                | Self::SortedBy
                | Self::GroupBy
                | Self::Collect
                | Self::Sum
                | Self::Count
                | Self::First
                | Self::Any
                | Self::All
                | Self::Returns
                | Self::OrFailsWith
                | Self::Needs
                | Self::ForAny
                | Self::With
                | Self::And
                | Self::Or
                | Self::Fails
                | Self::Is
                | Self::IsNot
                | Self::IsLessThan
                | Self::IsAtMost
                | Self::IsGreaterThan
                | Self::IsAtLeast
                | Self::IsOneOf
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_have_their_sizes_and_agree() {
        assert_eq!(Word::RESERVED.len(), 88);
        assert_eq!(Word::PHRASES.len(), 17);
        for word in Word::RESERVED {
            assert_eq!(Word::from_spelling(word.spelling()), Some(*word));
        }
        for phrase in Word::PHRASES {
            let first = phrase.spelling().split(' ').next().expect("a phrase has words");
            let first = Word::from_spelling(first).expect("a phrase starts with a reserved word");
            assert_eq!(first.phrase_at(phrase.spelling()), Some(*phrase));
            assert_eq!(first.phrase_at(&format!("{}s", phrase.spelling())), None);
        }
    }
}
