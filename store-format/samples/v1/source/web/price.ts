export class Price {
  constructor(readonly cents: number) {}
}

export function sum(prices: Price[]): number {
  return prices.length === 0 ? 0 : prices[0].cents + rest(prices);
}

function rest(prices: Price[]): number {
  return sum(prices.slice(1));
}
