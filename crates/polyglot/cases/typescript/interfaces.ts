/** Reads. */
export interface Reader extends Closer {
  readonly name: string;
  read(size?: number): Chunk,
  next: () => Chunk
  [key: string]: unknown;
  (input: string): Chunk;
  new (input: string): Reader;
}
interface Closer { close(): void }
class Chunk { text() {} }

function use(reader: Reader) {
  reader.read().text();
  reader.next().text();
  reader.close();
  reader.missing();
}
