export namespace Outer.Inner {
  export const shown = 1;
  const hidden = shown;
  export function run() { return hidden; }
  export interface Shape { size: number }
}
namespace Outer.Inner { export const second = run(); }
declare module 'external' { export function given(): void; }
declare global { interface Window { extra: number } }
declare const ambient: Outer.Inner.Shape;
Outer.Inner.run();
import Alias = Outer.Inner;
Alias.run();
function merged() {}
namespace merged { export const part = 1; }
merged();
merged.part;
