#!/usr/bin/env run
fn after_bom() {}
