//! What differs between the texts of two matched definitions.
//!
//! Only definitions whose ids differ get here. Texts that differ are compared
//! token by token; where texts agree, what their references lead to decides.

use map::{
    DefinitionId,
    identity::{TextRef, TokenRef},
};
use store::Object;

use crate::{components::Components, matching::Matching, relation::Relation, side::Node};

/// What a person changed in a definition. Neither: only what it refers to changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Edit {
    pub signature: bool,
    pub body: bool,
    /// The body differs in local names alone.
    pub locals: bool,
}

impl Edit {
    pub fn is_none(self) -> bool {
        !self.signature && !self.body
    }
}

/// Compares a matched pair whose components are loaded.
pub(crate) fn compare(
    matching: &Matching<'_>,
    components: &Components<'_>,
    old: Node,
    new: Node,
) -> Result<Edit, store::Error> {
    let (before, after) = (matching.old.id(old), matching.new.id(new));
    if before == after {
        return Ok(Edit::default());
    }
    let texts = (components.text(before)?, components.text(after)?);
    let old_references: Vec<DefinitionId> = components.references(before)?.collect();
    let new_references: Vec<DefinitionId> = components.references(after)?.collect();
    let targets = Targets::new(matching, old, new, &old_references, &new_references);
    let same = |(a, b): (&DefinitionId, &DefinitionId)| targets.correspond(*a, *b);
    if texts.0 == texts.1 {
        let differs: Vec<bool> = old_references
            .iter()
            .zip(&new_references)
            .map(|pair| !same(pair))
            .collect();
        if !differs.contains(&true) {
            return Ok(Edit::default());
        }
        let Some(object) = components.text_object(&texts.0)? else {
            return Ok(as_spelled(matching, old, new));
        };
        let text = TextRef::decode(&object.identity)?;
        let head = text.tokens().take(text.signature as usize);
        let in_head = head
            .filter(|token| *token == TokenRef::Reference)
            .count()
            .min(differs.len());
        return Ok(Edit {
            signature: differs[..in_head].contains(&true),
            body: differs[in_head..].contains(&true),
            locals: false,
        });
    }
    let objects = (
        components.text_object(&texts.0)?,
        components.text_object(&texts.1)?,
    );
    let (Some(before), Some(after)) = objects else {
        return Ok(as_spelled(matching, old, new));
    };
    let edit = compare_tokens((&before, &after), &old_references, &new_references, &targets)?;
    let shapes = (
        components.shape(matching.old.id(old)),
        components.shape(matching.new.id(new)),
    );
    let alike = matches!(shapes, (Some(before), Some(after)) if before == after);
    let references =
        old_references.len() == new_references.len() && old_references.iter().zip(&new_references).all(same);
    Ok(Edit {
        locals: edit.body && !edit.signature && alike && references,
        ..edit
    })
}

/// What differs as far as the entries say, for texts that are not held: the
/// signature if it is spelled otherwise, else the body.
fn as_spelled(matching: &Matching<'_>, old: Node, new: Node) -> Edit {
    let signature = matching.old.entry(old).signature != matching.new.entry(new).signature;
    Edit {
        signature,
        body: !signature,
        locals: false,
    }
}

fn compare_tokens(
    objects: (&Object, &Object),
    old_references: &[DefinitionId],
    new_references: &[DefinitionId],
    targets: &Targets<'_>,
) -> Result<Edit, store::Error> {
    let before = TextRef::decode(&objects.0.identity)?;
    let after = TextRef::decode(&objects.1.identity)?;
    let old = tokens(&before, old_references);
    let new = tokens(&after, new_references);
    let (old_head, old_rest) = old.split_at(before.signature as usize);
    let (new_head, new_rest) = new.split_at(after.signature as usize);
    Ok(Edit {
        signature: !same_tokens(old_head, new_head, targets),
        body: !same_tokens(old_rest, new_rest, targets),
        locals: false,
    })
}

/// A token, and where it leads if it is a reference.
type Meaning<'a> = (TokenRef<'a>, Option<DefinitionId>);

fn tokens<'a>(text: &TextRef<'a>, references: &[DefinitionId]) -> Vec<Meaning<'a>> {
    let mut references = references.iter().copied();
    let meaning = |token| match token {
        TokenRef::Reference => (token, references.next()),
        _ => (token, None),
    };
    text.tokens().map(meaning).collect()
}

fn same_tokens(old: &[Meaning<'_>], new: &[Meaning<'_>], targets: &Targets<'_>) -> bool {
    let same = |((a, before), (b, after)): (&Meaning<'_>, &Meaning<'_>)| {
        a == b
            && match (before, after) {
                (Some(before), Some(after)) => targets.correspond(*before, *after),
                _ => before == after,
            }
    };
    old.len() == new.len() && old.iter().zip(new).all(same)
}

/// Which ids correspond inside one pair of definitions.
///
/// Definitions that were alike may have gone separate ways, and an id does not
/// say which of them was called. The names that entries refer to do: two ids
/// correspond when the old definition names one of the first, the new one names
/// one of the second, and these two are matched.
struct Targets<'m> {
    /// Sorted.
    named: Vec<(DefinitionId, DefinitionId)>,
    /// What corresponds anywhere, if the names are not complete.
    anywhere: Option<&'m Relation>,
}

impl<'m> Targets<'m> {
    fn new(
        matching: &'m Matching<'_>,
        old: Node,
        new: Node,
        old_references: &[DefinitionId],
        new_references: &[DefinitionId],
    ) -> Self {
        let (a, b) = (matching.old, matching.new);
        let mut new_targets: Vec<Node> = b.edges(new).collect();
        new_targets.sort_unstable();
        let mut named: Vec<_> = a
            .edges(old)
            .filter_map(|target| Some((target, matching.new_of(target)?)))
            .filter(|(_, target)| new_targets.binary_search(target).is_ok())
            .map(|(before, after)| (a.id(before), b.id(after)))
            .collect();
        named.push((a.id(old), b.id(new)));
        named.sort_unstable();
        let names_are_complete = distinct(old_references, a.id(old)) <= a.degree(old)
            && distinct(new_references, b.id(new)) <= b.degree(new);
        Self {
            named,
            anywhere: (!names_are_complete).then_some(&matching.relation),
        }
    }

    fn correspond(&self, old: DefinitionId, new: DefinitionId) -> bool {
        old == new
            || self.named.binary_search(&(old, new)).is_ok()
            || self.anywhere.is_some_and(|relation| relation.holds(old, new))
    }
}

/// How many definitions are referred to, one with this id aside.
fn distinct(references: &[DefinitionId], own: DefinitionId) -> usize {
    let mut others: Vec<_> = references.iter().filter(|&&id| id != own).collect();
    others.sort_unstable();
    others.dedup();
    others.len()
}
