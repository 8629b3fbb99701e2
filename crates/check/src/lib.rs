//! What a Renyi program means: names, types, failures and effects.
