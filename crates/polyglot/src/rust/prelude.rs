//! What Rust's library gives without an import, and how its types behave.

use crate::frontend::LibraryMethod;

/// The library name of a name of the prelude, of a built-in type or macro.
pub(super) fn builtin(name: &str) -> Option<String> {
    let path = match name {
        "Option" | "Some" | "None" => "option::Option",
        "Result" | "Ok" | "Err" => "result::Result",
        "Vec" => "vec::Vec",
        "String" => "string::String",
        "ToString" => "string::ToString",
        "Box" => "boxed::Box",
        "Drop" => "ops::Drop",
        "Fn" | "FnMut" | "FnOnce" | "AsyncFn" | "AsyncFnMut" | "AsyncFnOnce" => "ops",
        "drop" | "size_of" | "size_of_val" | "align_of" | "align_of_val" => "mem",
        "Send" | "Sync" | "Sized" | "Copy" | "Unpin" => "marker",
        "Clone" => "clone::Clone",
        "PartialEq" | "Eq" | "PartialOrd" | "Ord" => "cmp",
        "AsRef" | "AsMut" | "Into" | "From" | "TryFrom" | "TryInto" => "convert",
        "Default" => "default::Default",
        "Debug" => "fmt",
        "Hash" => "hash",
        "Iterator"
        | "IntoIterator"
        | "Extend"
        | "DoubleEndedIterator"
        | "ExactSizeIterator"
        | "FromIterator" => "iter",
        "ToOwned" => "borrow::ToOwned",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize"
        | "f32" | "f64" | "bool" | "char" | "str" => return Some(name.to_owned()),
        _ => {
            return is_standard_macro(name.strip_suffix('!')?).then(|| format!("std::{name}"));
        }
    };
    let last = path.rsplit("::").next().unwrap_or(path);
    Some(if last == name {
        format!("std::{path}")
    } else {
        format!("std::{path}::{name}")
    })
}

fn is_standard_macro(name: &str) -> bool {
    matches!(
        name,
        "println"
            | "print"
            | "eprintln"
            | "eprint"
            | "format"
            | "format_args"
            | "write"
            | "writeln"
            | "panic"
            | "assert"
            | "assert_eq"
            | "assert_ne"
            | "debug_assert"
            | "debug_assert_eq"
            | "debug_assert_ne"
            | "vec"
            | "todo"
            | "unimplemented"
            | "unreachable"
            | "matches"
            | "dbg"
            | "concat"
            | "stringify"
            | "include"
            | "include_str"
            | "include_bytes"
            | "env"
            | "option_env"
            | "line"
            | "column"
            | "file"
            | "module_path"
            | "cfg"
            | "compile_error"
            | "thread_local"
            | "try"
    )
}

/// Types whose methods are those of their argument.
pub(super) fn is_transparent(name: &str) -> bool {
    matches!(
        name,
        "Box"
            | "Arc"
            | "Rc"
            | "Pin"
            | "Cow"
            | "ManuallyDrop"
            | "Ref"
            | "RefMut"
            | "MutexGuard"
            | "RwLockReadGuard"
            | "RwLockWriteGuard"
            | "Saturating"
            | "Wrapping"
    )
}

/// Which type argument of a container its elements are.
pub(super) fn element_argument(name: &str) -> Option<usize> {
    Some(match name {
        "Option" | "Result" | "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "BinaryHeap" | "LinkedList"
        | "IndexSet" | "SmallVec" | "Mutex" | "RwLock" | "RefCell" | "Cell" | "OnceCell" | "OnceLock"
        | "LazyLock" | "LazyCell" | "Lazy" | "Weak" | "NonNull" | "MaybeUninit" => 0,
        "HashMap" | "BTreeMap" | "IndexMap" | "FxHashMap" => 1,
        _ => return None,
    })
}

/// Traits that say what they contain by an associated type.
pub(super) fn element_binding(name: &str) -> Option<&'static str> {
    Some(match name {
        "Iterator"
        | "IntoIterator"
        | "DoubleEndedIterator"
        | "ExactSizeIterator"
        | "Stream"
        | "ParallelIterator"
        | "IntoParallelIterator" => "Item",
        "Future" | "IntoFuture" => "Output",
        "Deref" | "DerefMut" => "Target",
        _ => return None,
    })
}

/// Traits that add nothing one would call on a type parameter bound by several.
pub(super) fn is_marker(name: &str) -> bool {
    matches!(
        name,
        "Send"
            | "Sync"
            | "Sized"
            | "Copy"
            | "Unpin"
            | "Clone"
            | "Debug"
            | "Display"
            | "Eq"
            | "PartialEq"
            | "Ord"
            | "PartialOrd"
            | "Hash"
            | "Default"
            | "UnwindSafe"
            | "RefUnwindSafe"
    )
}

pub(super) fn library_method(name: &str) -> LibraryMethod {
    match name {
        "clone" | "to_owned" | "as_ref" | "as_mut" | "borrow" | "borrow_mut" | "by_ref" | "into_iter"
        | "as_deref" | "as_deref_mut" | "cloned" | "copied" | "unwrap_or_clone" => LibraryMethod::Copy,
        "iter" | "iter_mut" | "into_values" | "values" | "values_mut" | "filter" | "rev" | "skip"
        | "take" | "chain" | "peekable" | "fuse" | "inspect" | "skip_while" | "take_while" | "step_by"
        | "cycle" | "next" | "next_back" | "last" | "first" | "first_mut" | "last_mut" | "get"
        | "get_mut" | "nth" | "peek" | "peek_mut" | "pop" | "pop_front" | "pop_back" | "front" | "back"
        | "front_mut" | "back_mut" | "find" | "max_by_key" | "min_by_key" | "max_by" | "min_by" | "ok"
        | "ok_or" | "ok_or_else" | "map_err" | "or" | "or_else" | "lock" | "read" | "write" | "try_lock"
        | "drain" | "as_slice" | "as_mut_slice" | "to_vec" | "into_boxed_slice" | "remove_entry"
        | "replace" | "upgrade" | "context" | "with_context" | "chunks_exact" | "iter_unordered" => {
            LibraryMethod::Same
        }
        "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" | "get_or_insert_with"
        | "get_or_init" | "insert_with" | "swap_remove" | "or_insert_with" | "or_insert" | "or_default"
        | "unwrap_unchecked" | "get_unchecked" | "get_unchecked_mut" | "into_inner" => LibraryMethod::Element,
        _ => LibraryMethod::Unknown,
    }
}

/// Adapters whose closure is given an element of the receiver.
pub(super) fn gives_element(method: &str) -> bool {
    matches!(
        method,
        "map"
            | "for_each"
            | "filter"
            | "filter_map"
            | "flat_map"
            | "any"
            | "all"
            | "find"
            | "find_map"
            | "position"
            | "rposition"
            | "partition"
            | "and_then"
            | "map_or"
            | "map_or_else"
            | "is_some_and"
            | "is_ok_and"
            | "is_none_or"
            | "inspect"
            | "take_while"
            | "skip_while"
            | "map_while"
            | "retain"
            | "retain_mut"
            | "max_by_key"
            | "min_by_key"
            | "sort_by_key"
            | "sort_unstable_by_key"
            | "sort_by_cached_key"
            | "then_some"
            | "partition_point"
            | "binary_search_by_key"
    )
}

/// A constructor of a library type gives that type; of other calls of the
/// library nothing is known.
pub(super) fn library_result(qualified: &str) -> Option<&str> {
    let (base, last) = qualified.rsplit_once("::")?;
    if last.starts_with(|first: char| first.is_ascii_uppercase()) {
        return Some(qualified);
    }
    let of_type = base
        .rsplit("::")
        .next()
        .is_some_and(|name| name.starts_with(|first: char| first.is_ascii_uppercase()));
    let constructs = matches!(
        last,
        "new"
            | "default"
            | "with_capacity"
            | "from"
            | "clone"
            | "to_owned"
            | "into_owned"
            | "args"
            | "arg"
            | "env"
    );
    (of_type && constructs).then_some(base)
}
