import Base from './base.mjs';

export default class Widget extends Base {
  static defaults = { a: 1 };
  #state = new State();
  async *items() { yield this.#state.next(); }
  static get shared() { return Widget.defaults; }
  constructor() {
    super();
    this.model = new State();
    this.model.next();
  }
  render() { this.model.next(); const self = this; self.render(); return () => this.render(); }
}
class State { next() {} }
const Anonymous = class extends State { own() { this.next(); } };
const inline = make(class { method() { return new State(); } });
