/** A selector, or what is wrong with it in the words that a client is to see (status 400). */
export type Parsed<Selector> = { readonly ok: true; readonly selector: Selector } | { readonly ok: false; readonly message: string };
