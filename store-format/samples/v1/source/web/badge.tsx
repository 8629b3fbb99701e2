import { Cart } from "./cart";

export const Badge = ({ cart }: { cart: Cart }) => <span className="badge">{cart.total()}</span>;
