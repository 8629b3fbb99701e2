/** Grüßt. */
export const grüße = (name: string) => `Hallo, ${name} — “süß”`;
export class Größe { länge() { return grüße('é'); } }
new Größe().länge();
