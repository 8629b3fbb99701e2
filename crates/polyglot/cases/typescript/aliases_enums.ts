export type Id = string;
type Both = (Left | Right)[] & { tag: 'both' };
type Leading =
  | 'a'
  | ('b' | "c")
  | (() => void);
type Mapped<T> = { readonly [K in keyof T]?: T[K] extends infer U ? U : never };
type Named = Left;
type Pick1 = Holder['left'];

/** Colours. */
export enum Color { Red = 1, 'Green', Blue = Red << 1, }
const enum Flag { On }

interface Left { l: number }
class Right { run() {} }
interface Holder { left: Right }

export function paint(color: Color, named: Named, right: Pick1, both: Right | null | undefined): asserts color is Color {
  right.run();
  both?.run();
  named.l;
  Color.Red;
}
let guard = (value: unknown): value is Right => value instanceof Right;
