import { shared } from './shared';

const value = 1;
function helper() { return value; }
type Shape = { a: number };

function shadows(value: number, { helper: renamed, other = helper() }: any, [first]: number[]) {
  const shared = value;
  {
    let helper = renamed;
    helper(first, other);
  }
  helper();
  for (const value of []) value;
  const closure = (helper: any) => helper(value);
  try {} catch (helper) { helper; }
  if (first) { var hoisted = 1; }
  hoisted;
  label: for (;;) { continue label; }
  type Shape = string;
  let shape: Shape;
  return shared;
}

function generics<Shape>(x: Shape): Shape { return x; }

function outer() {
  /** Inner. */
  function inner(): Local { return new Local(); }
  class Local { run() { inner(); } }
  inner().run();
  const object = { value, helper, shared, method() { return helper(); }, get prop() { return 1; }, [value]: 2 };
  ({ value: object.x } = object);
}

function unknowns(thing: any) {
  thing.run().helper;
  missing(thing);
  thing['value'];
}
