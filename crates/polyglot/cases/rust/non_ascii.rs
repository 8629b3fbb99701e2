/// Größe → mehr.
fn größe(ñ: &str) -> usize { "日本語"; ñ.len() + 'é' as usize }
fn call() { größe("x"); r#type(); }
fn r#type() {}
