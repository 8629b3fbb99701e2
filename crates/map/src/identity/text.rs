//! The canonical text of a definition: the `Text` object.
//!
//! Invariants: no layout, no comment, no name of the definition itself and no
//! name of a definition it refers to. The n-th `Reference` token stands for the
//! n-th of the definition's ordered references; nothing here says where it leads.

use store::{
    Hash, Kind,
    cbor::{self, Decoder, Encoder},
};

use super::DefinitionKind;
use crate::decode::{self, refuse};

const OWN_NAME: u64 = 0;
const REFERENCE: u64 = 1;
const PROJECT_MODULE: u64 = 2;

/// One token of a canonical text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Token {
    Text(String),
    /// The qualified name of something imported from a library.
    Library(String),
    /// A definition of the project, named by the list of references.
    Reference,
    /// The name of the definition itself.
    OwnName,
    /// A module of the project.
    ProjectModule,
}

/// As [`Token`], borrowing from the bytes of the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenRef<'a> {
    Text(&'a str),
    Library(&'a str),
    Reference,
    OwnName,
    ProjectModule,
}

impl TokenRef<'_> {
    pub fn to_token(self) -> Token {
        match self {
            TokenRef::Text(text) => Token::Text(text.to_owned()),
            TokenRef::Library(name) => Token::Library(name.to_owned()),
            TokenRef::Reference => Token::Reference,
            TokenRef::OwnName => Token::OwnName,
            TokenRef::ProjectModule => Token::ProjectModule,
        }
    }
}

/// A canonical text held as values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CanonicalText {
    pub language: String,
    pub kind: DefinitionKind,
    /// How many of the first tokens are the signature.
    pub signature: u32,
    pub tokens: Vec<Token>,
}

impl CanonicalText {
    /// The identity bytes of the `Text` object, and their key.
    ///
    /// # Panics
    ///
    /// When `signature` is above the number of tokens.
    pub fn encode(&self) -> FinishedText {
        assert!(
            self.signature as usize <= self.tokens.len(),
            "a signature is some of the tokens"
        );
        let mut builder = TextBuilder::new();
        for (index, token) in self.tokens.iter().enumerate() {
            if index == self.signature as usize {
                builder.end_signature();
            }
            match token {
                Token::Text(text) => builder.text(text),
                Token::Library(name) => builder.library(name),
                Token::Reference => builder.reference(),
                Token::OwnName => builder.own_name(),
                Token::ProjectModule => builder.project_module(),
            };
        }
        if self.signature as usize == self.tokens.len() {
            builder.end_signature();
        }
        builder.finish(&self.language, self.kind)
    }

    /// The key of the `Text` object.
    pub fn text_hash(&self) -> Hash {
        self.encode().text_hash
    }
}

/// A `Text` object ready to be put into a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedText {
    pub text_hash: Hash,
    pub identity: Vec<u8>,
    pub tokens: u32,
    /// How many tokens are references: the length the list of targets must have.
    pub references: u32,
}

/// Writes a canonical text token by token, without holding the tokens.
#[derive(Debug, Default)]
pub struct TextBuilder {
    tokens: Encoder,
    len: u32,
    references: u32,
    signature: u32,
}

impl TextBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn text(&mut self, text: &str) -> &mut Self {
        self.tokens.text(text);
        self.len += 1;
        self
    }

    /// A name that is imported from a library, in full.
    pub fn library(&mut self, name: &str) -> &mut Self {
        self.tokens.array(1).text(name);
        self.len += 1;
        self
    }

    pub fn reference(&mut self) -> &mut Self {
        self.references += 1;
        self.blank(REFERENCE)
    }

    pub fn own_name(&mut self) -> &mut Self {
        self.blank(OWN_NAME)
    }

    pub fn project_module(&mut self) -> &mut Self {
        self.blank(PROJECT_MODULE)
    }

    fn blank(&mut self, number: u64) -> &mut Self {
        self.tokens.uint(number);
        self.len += 1;
        self
    }

    /// Says that the tokens so far are the signature. Without it a text has none.
    pub fn end_signature(&mut self) -> &mut Self {
        self.signature = self.len;
        self
    }

    /// The number of tokens so far: the index of the next one.
    pub fn len(&self) -> u32 {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The text, leaving the builder empty for another.
    pub fn finish(&mut self, language: &str, kind: DefinitionKind) -> FinishedText {
        let built = std::mem::take(self);
        let mut encoder = Encoder::with_capacity(built.tokens.len() + language.len() + 16);
        encoder
            .array(4)
            .text(language)
            .uint(kind as u64)
            .uint(u64::from(built.signature))
            .array(built.len as usize)
            .raw(built.tokens.as_bytes());
        let identity = encoder.into_bytes();
        FinishedText {
            text_hash: store::hash(Kind::Text, &identity),
            identity,
            tokens: built.len,
            references: built.references,
        }
    }
}

/// A canonical text read from the bytes of its object, all of them checked.
#[derive(Debug, Clone)]
pub struct TextRef<'a> {
    pub language: &'a str,
    pub kind: DefinitionKind,
    pub signature: u32,
    pub references: u32,
    len: usize,
    tokens: Decoder<'a>,
}

impl<'a> TextRef<'a> {
    pub fn decode(identity: &'a [u8]) -> Result<Self, store::Error> {
        decode::object(Kind::Text, None, identity, Self::decode_from)
    }

    fn decode_from(decoder: &mut Decoder<'a>) -> cbor::Result<Self> {
        decoder.array_of(4)?;
        let language = decoder.text()?;
        let kind = DefinitionKind::decode(decoder)?;
        let start = decoder.offset();
        let signature = decoder.u32()?;
        let len = decoder.array()?;
        if signature as usize > len {
            return refuse(
                start,
                "a signature within the tokens",
                format!("{signature} of {len} tokens"),
            );
        }
        let tokens = decoder.clone();
        let mut references = 0;
        for _ in 0..len {
            references += u32::from(token(decoder)? == TokenRef::Reference);
        }
        Ok(Self {
            language,
            kind,
            signature,
            references,
            len,
            tokens,
        })
    }

    pub fn tokens(&self) -> Tokens<'a> {
        Tokens {
            left: self.len,
            decoder: self.tokens.clone(),
        }
    }

    pub fn to_text(&self) -> CanonicalText {
        CanonicalText {
            language: self.language.to_owned(),
            kind: self.kind,
            signature: self.signature,
            tokens: self.tokens().map(TokenRef::to_token).collect(),
        }
    }
}

/// The tokens of a text, in order.
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    left: usize,
    decoder: Decoder<'a>,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = TokenRef<'a>;

    fn next(&mut self) -> Option<TokenRef<'a>> {
        self.left = self.left.checked_sub(1)?;
        Some(token(&mut self.decoder).expect("decoding the text read every token"))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Tokens<'_> {}

fn token<'a>(decoder: &mut Decoder<'a>) -> cbor::Result<TokenRef<'a>> {
    if decoder.next_is_text() {
        return decoder.text().map(TokenRef::Text);
    }
    if decoder.next_is_array() {
        decoder.array_of(1)?;
        return decoder.text().map(TokenRef::Library);
    }
    let start = decoder.offset();
    match decoder.uint()? {
        OWN_NAME => Ok(TokenRef::OwnName),
        REFERENCE => Ok(TokenRef::Reference),
        PROJECT_MODULE => Ok(TokenRef::ProjectModule),
        other => refuse(start, "a token", format!("blank {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> CanonicalText {
        CanonicalText {
            language: "python".into(),
            kind: DefinitionKind::Function,
            signature: 3,
            tokens: vec![
                Token::Text("def".into()),
                Token::OwnName,
                Token::Text("(".into()),
                Token::Library("os.getcwd".into()),
                Token::Reference,
                Token::ProjectModule,
            ],
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for signature in 0..=6 {
            let text = CanonicalText {
                signature,
                ..sample()
            };
            let finished = text.encode();
            let read = TextRef::decode(&finished.identity).expect("just written");
            assert_eq!(read.to_text(), text);
            assert_eq!((read.references, finished.references, finished.tokens), (1, 1, 6));
            assert_eq!(finished.text_hash, store::hash(Kind::Text, &finished.identity));
        }
    }

    #[test]
    fn other_shapes_are_refused() {
        let mut encoder = Encoder::new();
        encoder.array(4).text("x").uint(1).uint(2).array(1).text("a");
        let error = TextRef::decode(encoder.as_bytes()).expect_err("a signature past the end");
        assert!(error.to_string().contains("2 of 1 tokens"), "{error}");
        let mut encoder = Encoder::new();
        encoder.array(4).text("x").uint(1).uint(0).array(1).uint(3);
        assert!(TextRef::decode(encoder.as_bytes()).is_err(), "an unknown blank");
        let mut encoder = Encoder::new();
        encoder.array(4).text("x").uint(99).uint(0).array(0);
        assert!(TextRef::decode(encoder.as_bytes()).is_err(), "an unknown kind");
    }
}
