/** A selector, or an error message for the client (status 400). */
export type Parsed<Selector> = { readonly ok: true; readonly selector: Selector } | { readonly ok: false; readonly message: string };
