/**
 * Adds.
 * @deprecated
 */
export function add(a: number, b: number): number;
export function add(a: string, b: string): string;
export function add(a: any, b: any): any {
  if (a) {
    for (const x of b) {
      while (x) {
        break;
      }
    }
  } else if (b) {
    return a ? b : a;
  }
  switch (a) {
    case 1:
    case 2:
      return 1;
    default:
      throw new RangeError('out');
  }
}

async function* generate<T>(this: Maker, ...rest: T[]) {
  yield* rest;
  this.make();
}

export const arrow = async <T,>(x: T) => new Maker();
const expression = function inner() { return inner; };
export default function () { return add(1, 2); }

class Maker { make() {} }

async function uses() {
  const made = await arrow(1);
  made.make();
  const local = maker();
  local.make();
  try { made.make(); } catch (error) { throw error; } finally { add(1, 1); }
}
function maker() { return new Maker(); }
declare function outside(x: number): void;
