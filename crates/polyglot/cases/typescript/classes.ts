import { Logger } from './logger';

/**
 * Keeps things.
 *
 * More about it.
 * @example new Store()
 */
@injectable()
export class Store<T extends Entry> extends Base<T> implements Reader, Writer {
  private readonly items: Map<string, T> = new Map();
  static #count = 0;
  protected log = new Logger();
  declare brand: 'store';

  constructor(private readonly entry: Entry, public size = 0) {
    super();
    this.other = new Entry();
  }

  /** Reads one. */
  get(key: string): T | undefined {
    return this.items.get(key);
  }

  get first() {
    return new Entry();
  }

  set first(value: Entry) {
    this.log.write(value);
  }

  static create(): Store<Entry> {
    Store.#count++;
    return new this(new Entry()) ?? Store.create();
  }

  protected async visit(): Promise<Entry> {
    (await this.visit()).touch();
    this.first.touch();
    this.entry.touch();
    this.other.touch();
    this.items.get('a')!.touch();
    super.close();
    return this.entry;
  }

  #hidden() {
    this.#hidden();
  }

  handle = (event: Entry): void => {
    event.touch();
    this.visit();
  };

  [Symbol.iterator]() {}

  'quoted-name'() {}

  static {
    Store.create();
  }
}

abstract class Base<T> {
  abstract open(value: T): Base<T>;
  close(): this {
    return this.close().close();
  }
}

class Entry {
  touch() {
    this.touch();
  }
}
