/** What a visitor wants to buy. */
import { readFileSync } from "node:fs";

import { Price, sum } from "./price";

export class Cart {
  private items: Price[] = [];

  add(price: Price): void {
    this.items.push(price);
  }

  total(): number {
    return sum(this.items);
  }
}

/** Reads a cart from a file. */
export function load(path: string): Cart {
  const cart = new Cart();
  for (const line of readFileSync(path, "utf8").split("\n")) {
    cart.add(new Price(Number(line)));
  }
  return cart;
}

export async function send(cart: Cart): Promise<void> {
  await fetch("/cart", { method: "POST", body: String(cart.total()) });
}
