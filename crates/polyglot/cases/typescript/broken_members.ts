export class Half {
  first() { return this.second(; }
  second() { return 1 }
}
function after() { return new Half().second() }
<<<<<<< HEAD
const mine = after();
=======
const theirs = after();
>>>>>>> other
