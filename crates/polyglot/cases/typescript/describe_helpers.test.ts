describe('group', () => {
  let made: Maker;
  beforeEach(() => { made = new Maker(); });
  function helper() { return made; }
  it('works', () => { helper(); });
});
class Maker {}
