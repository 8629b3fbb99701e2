//! Markdown for a comment on a pull request.

use super::Headers;
use crate::model::MapDiff;

pub fn to_markdown(_diff: &MapDiff, _headers: &Headers) -> String {
    String::new()
}
