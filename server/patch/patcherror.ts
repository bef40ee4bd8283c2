/**
 * A patch could not be applied. `kind` says whose fault it is, as the reference reports it:
 * `malformed` (400: not a patch at all), `failed` (422: it does not fit the object), `directive` (500: a strategic directive makes no sense),
 * `tooLarge` (413: more operations or copied bytes than allowed).
 */
export class PatchError extends Error {
  constructor(
    readonly kind: 'malformed' | 'failed' | 'directive' | 'tooLarge',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'PatchError';
  }
}
