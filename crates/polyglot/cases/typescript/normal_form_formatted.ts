export function a() {
  const strings = ["it's", "it's", 'say "x"', 'say "x"', "\d\n\u0041"];
  const numbers = [0xab, 1.0, 1, 0.5, 1e5, 1e5, 10n, 0b11, 1.5];
  const keys = { a: 1, "b-c": 2, 3: 3, "4": 4, strings };
  const groups = [a, a + 1, (1 + 2) * 3, 1 + 2 * 3, 1 + 2 + 3, 1 + (2 + 3)];
  const logic = (a && keys && groups) || (a ?? keys);
  const arrows = [
    (x) => x,
    (x) => x,
    (x) => ({}),
    (x) => {},
    async (x) => (await x).y,
  ];
  const made = [new Date(), new Date(), new (a())(), new a.b()];
  const holes = [, 1, , 2, ,];
  const not = !(a in keys),
    minus = -(-1),
    power = (-1) ** 2;
  const chain = (a?.b).c,
    chained = a?.b.c,
    bang = (a?.b)!.c;
  const nested = a ? (keys ? 1 : 2) : groups ? 3 : 4;
  const regex = /a\/b/gy;
  const template = `a${a}b`;
  const cast = (keys as any).x,
    other = <any>keys;
  for (let i = (0, 1); ; )
    if (a);
    else {
    }
  do a();
  while (a);
  [1].map(a);
  (a(), a());
  return (
    // comment
    a
  );
}
