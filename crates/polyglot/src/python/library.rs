//! What the language and its standard library give without a definition to read.

use crate::frontend::LibraryMethod;

/// The qualified name of a built-in.
pub(super) fn builtin(name: &str) -> Option<String> {
    BUILTINS
        .binary_search(&name)
        .is_ok()
        .then(|| format!("builtins.{name}"))
}

/// What a method of a built-in container gives.
pub(super) fn method(name: &str) -> LibraryMethod {
    match name {
        "get" | "pop" | "popleft" | "setdefault" | "__getitem__" | "__next__" => LibraryMethod::Element,
        "copy" | "union" | "intersection" | "difference" | "__iter__" => LibraryMethod::Same,
        "values" => LibraryMethod::Values,
        "items" => LibraryMethod::Items,
        _ => LibraryMethod::Unknown,
    }
}

/// How a generic type of the standard library holds its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generic {
    /// The argument itself, perhaps with marks (`Optional`, `Final`).
    Transparent,
    Union,
    /// The class, not a value of it.
    Class,
    /// Elements of the first argument.
    Elements,
    /// Elements of the last argument.
    Last,
    Tuple,
    /// Keys and values.
    Map,
    /// Nothing that can be followed; arguments may be values.
    Opaque,
}

pub(super) fn generic(name: &str) -> Option<Generic> {
    Some(match name {
        "Optional" | "Annotated" | "ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly"
        | "InitVar" => Generic::Transparent,
        "Union" => Generic::Union,
        "Type" | "type" => Generic::Class,
        "List"
        | "list"
        | "Sequence"
        | "MutableSequence"
        | "Iterable"
        | "Iterator"
        | "Set"
        | "set"
        | "MutableSet"
        | "AbstractSet"
        | "FrozenSet"
        | "frozenset"
        | "Collection"
        | "Reversible"
        | "Deque"
        | "deque"
        | "AsyncIterator"
        | "AsyncIterable"
        | "Generator"
        | "AsyncGenerator"
        | "KeysView"
        | "ValuesView"
        | "Awaitable"
        | "ContextManager"
        | "AsyncContextManager"
        | "AbstractContextManager"
        | "AbstractAsyncContextManager"
        | "Future"
        | "Task" => Generic::Elements,
        "Coroutine" => Generic::Last,
        "Tuple" | "tuple" => Generic::Tuple,
        "Dict" | "dict" | "Mapping" | "MutableMapping" | "DefaultDict" | "defaultdict" | "OrderedDict"
        | "ChainMap" => Generic::Map,
        "Literal" | "Callable" | "TypeGuard" | "TypeIs" | "Concatenate" | "Unpack" => Generic::Opaque,
        _ => return None,
    })
}

/// The built-in type that a name of `typing` stands for.
pub(super) fn builtin_of(typing: &str) -> Option<&'static str> {
    Some(match typing {
        "Dict" => "builtins.dict",
        "FrozenSet" => "builtins.frozenset",
        "List" => "builtins.list",
        "Set" => "builtins.set",
        "Tuple" => "builtins.tuple",
        "Type" => "builtins.type",
        _ => return None,
    })
}

/// Whether a class with a base of this name is an enumeration.
pub(super) fn is_enumeration(base: &str) -> bool {
    matches!(
        base,
        "Enum" | "IntEnum" | "StrEnum" | "Flag" | "IntFlag" | "ReprEnum" | "TextChoices" | "IntegerChoices"
    )
}

/// Names of the `builtins` module and those every module has, sorted.
const BUILTINS: &[&str] = &[
    "ArithmeticError",
    "AssertionError",
    "AttributeError",
    "BaseException",
    "BaseExceptionGroup",
    "BlockingIOError",
    "BrokenPipeError",
    "BufferError",
    "BytesWarning",
    "ChildProcessError",
    "ConnectionAbortedError",
    "ConnectionError",
    "ConnectionRefusedError",
    "ConnectionResetError",
    "DeprecationWarning",
    "EOFError",
    "Ellipsis",
    "EncodingWarning",
    "EnvironmentError",
    "Exception",
    "ExceptionGroup",
    "FileExistsError",
    "FileNotFoundError",
    "FloatingPointError",
    "FutureWarning",
    "GeneratorExit",
    "IOError",
    "ImportError",
    "ImportWarning",
    "IndentationError",
    "IndexError",
    "InterruptedError",
    "IsADirectoryError",
    "KeyError",
    "KeyboardInterrupt",
    "LookupError",
    "MemoryError",
    "ModuleNotFoundError",
    "NameError",
    "NotADirectoryError",
    "NotImplemented",
    "NotImplementedError",
    "OSError",
    "OverflowError",
    "PendingDeprecationWarning",
    "PermissionError",
    "ProcessLookupError",
    "PythonFinalizationError",
    "RecursionError",
    "ReferenceError",
    "ResourceWarning",
    "RuntimeError",
    "RuntimeWarning",
    "StopAsyncIteration",
    "StopIteration",
    "SyntaxError",
    "SyntaxWarning",
    "SystemError",
    "SystemExit",
    "TabError",
    "TimeoutError",
    "TypeError",
    "UnboundLocalError",
    "UnicodeDecodeError",
    "UnicodeEncodeError",
    "UnicodeError",
    "UnicodeTranslateError",
    "UnicodeWarning",
    "UserWarning",
    "ValueError",
    "Warning",
    "ZeroDivisionError",
    "__build_class__",
    "__debug__",
    "__doc__",
    "__file__",
    "__import__",
    "__loader__",
    "__name__",
    "__package__",
    "__path__",
    "__spec__",
    "abs",
    "aiter",
    "all",
    "anext",
    "any",
    "ascii",
    "bin",
    "bool",
    "breakpoint",
    "bytearray",
    "bytes",
    "callable",
    "chr",
    "classmethod",
    "compile",
    "complex",
    "copyright",
    "credits",
    "delattr",
    "dict",
    "dir",
    "divmod",
    "enumerate",
    "eval",
    "exec",
    "exit",
    "filter",
    "float",
    "format",
    "frozenset",
    "getattr",
    "globals",
    "hasattr",
    "hash",
    "help",
    "hex",
    "id",
    "input",
    "int",
    "isinstance",
    "issubclass",
    "iter",
    "len",
    "license",
    "list",
    "locals",
    "map",
    "max",
    "memoryview",
    "min",
    "next",
    "object",
    "oct",
    "open",
    "ord",
    "pow",
    "print",
    "property",
    "quit",
    "range",
    "repr",
    "reversed",
    "round",
    "set",
    "setattr",
    "slice",
    "sorted",
    "staticmethod",
    "str",
    "sum",
    "super",
    "tuple",
    "type",
    "vars",
    "zip",
];

#[cfg(test)]
mod tests {
    #[test]
    fn builtins_are_sorted() {
        assert!(super::BUILTINS.is_sorted());
    }
}
