export function good() { return 1; }
class Half {
  method( { return good(); }
  other() { return this.other(); }
}
const = 5;
export const late = good() +;
