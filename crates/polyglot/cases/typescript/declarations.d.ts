/** Options. */
export declare interface Options<in out T, const U = {}> { deep?: boolean }
export declare const run: import("./other").Run<string>;
export declare class Runner {
  private constructor();
  static of(options: Options<string>): Runner;
  get state(): string;
  on(name: 'a'): this;
  on(name: 'b'): this;
}
export declare function start(): Runner
export type * from './other';
export as namespace Lib;
