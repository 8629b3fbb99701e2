#!/usr/bin/env node
/**
 * @file Starts the program.
 */
import { a } from './a.js';

const one = 1, two = a(one);
let later;
const { left, right: [inner] } = two;
if (one) {
  const scoped = two;
  later = scoped;
}
export { one as uno, left };
export const unused = () => left;
start(inner);
function start() { later; }
