export const text = `a
b`;

/** Doc. */
export function f() {
  return "x"; // done
}
