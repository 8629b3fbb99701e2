//! How the version has to rise for a change (docs/diff.md, "The version").

use map::DefinitionKind;

use crate::model::{Bump, Change, Detail, Reason};

/// The most that any detail of a change asks for.
pub(crate) fn bump_of(change: &Change) -> Bump {
    change
        .details
        .iter()
        .map(|detail| of_detail(change, detail))
        .max()
        .unwrap_or(Bump::None)
}

fn of_detail(change: &Change, detail: &Detail) -> Bump {
    let public = change.definition.public;
    let was_public = change.old.as_ref().is_some_and(|old| old.public);
    let if_public = |bump: Bump| if public && was_public { bump } else { Bump::Patch };
    match detail {
        Detail::Removed | Detail::Signature { .. } if was_public => Bump::Major,
        Detail::Removed | Detail::Signature { .. } => Bump::Patch,
        Detail::Visibility { narrowed: true, .. } if was_public && !public => Bump::Major,
        Detail::Visibility { .. } if public && !was_public => Bump::Minor,
        Detail::Visibility { .. } => Bump::Patch,
        // Their names lead through their types, which stayed.
        Detail::Moved { .. }
            if matches!(
                change.definition.kind,
                DefinitionKind::Method | DefinitionKind::Implementation
            ) =>
        {
            Bump::Patch
        }
        Detail::Renamed { was_public, .. } | Detail::Moved { was_public, .. } => match (was_public, public) {
            (true, _) => Bump::Major,
            (false, true) => Bump::Minor,
            (false, false) => Bump::Patch,
        },
        Detail::Effects {
            widened, inferred, ..
        } if !widened.is_empty() => if_public(if *inferred { Bump::Minor } else { Bump::Major }),
        Detail::Failures { added, inferred, .. } if !added.is_empty() => {
            if_public(if *inferred { Bump::Minor } else { Bump::Major })
        }
        Detail::Added { .. } if public => Bump::Minor,
        // A field, variant or required method that goes breaks users, one that
        // comes need not, and a private one is nobody's: they are not told apart.
        Detail::Body if holds_members(change) => if_public(Bump::Minor),
        Detail::Effects { .. } | Detail::Failures { .. } | Detail::Added { .. } | Detail::Body => Bump::Patch,
        Detail::LocalNames => Bump::Patch,
    }
}

/// Whether the body of a definition is what it holds, not what it does.
fn holds_members(change: &Change) -> bool {
    matches!(
        change.definition.kind,
        DefinitionKind::Type | DefinitionKind::Ability | DefinitionKind::Module
    )
}

/// The largest bump, and the first change in order of severity that asks for it.
pub(crate) fn decide(changes: &[Change]) -> (Bump, Option<Reason>) {
    let Some(bump) = changes.iter().map(|change| change.bump).max() else {
        return (Bump::None, None);
    };
    let deciding = |change: &Change| {
        let decides = |detail: &&Detail| of_detail(change, detail) == bump;
        change.details.iter().find(decides).cloned()
    };
    let rank = |detail: &Detail| match detail {
        Detail::Removed => 0,
        Detail::Signature { .. } => 1,
        Detail::Visibility { .. } => 2,
        Detail::Renamed { .. } => 3,
        Detail::Moved { .. } => 4,
        Detail::Added { .. } => 5,
        Detail::Effects { .. } => 6,
        Detail::Failures { .. } => 7,
        Detail::Body => 8,
        Detail::LocalNames => 9,
    };
    let mut candidates: Vec<(usize, Detail)> = changes
        .iter()
        .enumerate()
        .filter_map(|(at, change)| Some((at, deciding(change)?)))
        .collect();
    candidates.sort_by_key(|(at, detail)| (rank(detail), changes[*at].inherited, *at));
    let alike = candidates.len().saturating_sub(1);
    let reason = candidates.into_iter().next().map(|(at, detail)| Reason {
        change: at,
        text: sentence(&changes[at], &detail),
        alike,
    });
    (bump, reason)
}

fn sentence(change: &Change, detail: &Detail) -> String {
    let definition = &change.definition;
    let was_public = change.old.as_ref().map_or(definition.public, |old| old.public);
    let public = if was_public || definition.public {
        "public "
    } else {
        ""
    };
    let kind = definition.kind.name();
    let name = &definition.qualified;
    match detail {
        Detail::Removed => format!("{public}{kind} {name} removed"),
        Detail::Signature { .. } => format!("signature of {public}{kind} {name} changed"),
        Detail::Visibility { public: true, .. } => format!("{kind} {name} made public"),
        Detail::Visibility { narrowed: true, .. } if was_public => {
            format!("{public}{kind} {name} made private")
        }
        Detail::Visibility { .. } => format!("visibility of {kind} {name} changed"),
        Detail::Renamed { from, .. } => format!("{public}{kind} {from} renamed to {name}"),
        Detail::Moved { from, .. } => format!("{public}{kind} {from} moved to {name}"),
        Detail::Effects { widened, .. } if !widened.is_empty() => {
            format!("effects of {public}{kind} {name} widened: {}", widened.join(", "))
        }
        Detail::Effects { .. } => format!("effects of {kind} {name} narrowed"),
        Detail::Failures { added, .. } if !added.is_empty() => {
            format!("failures of {public}{kind} {name} added: {}", added.join(", "))
        }
        Detail::Failures { .. } => format!("failures of {kind} {name} removed"),
        Detail::Added { .. } => format!("{public}{kind} {name} added"),
        Detail::Body if holds_members(change) && !public.is_empty() => {
            format!("what public {kind} {name} holds changed: it may break users")
        }
        Detail::LocalNames => format!("local names of {kind} {name} changed"),
        Detail::Body => format!("body of {kind} {name} changed"),
    }
}
