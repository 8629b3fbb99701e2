class Item { run() { return this; } children: Item[] = []; }
function all(items: Item[], byName: Map<string, Item>, lazy: Promise<Item[]>) {
  items.forEach((item) => item.run());
  items.filter(item => item.run()).map(function (item) { return item.run(); });
  items[0].run().run();
  items.find(Boolean)?.run();
  byName.get('a')?.children.at(0)?.run();
  for (const item of items) item.children[0].run();
  const [first, ...rest] = items;
  first.run();
  lazy.then((found) => found[0].run());
  const cast = unknownThing() as Item;
  cast.run();
  const { children: [child] } = cast;
  child.run();
}
