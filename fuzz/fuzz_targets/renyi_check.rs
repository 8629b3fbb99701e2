#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| targets::renyi_check(bytes));
