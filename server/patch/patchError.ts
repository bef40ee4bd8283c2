/**
 * `kind` is the reference's class of error: `malformed` (400: not a patch), `failed` (422: does not fit the object), `directive` (500: an invalid strategic
 * directive), `tooLarge` (413: too many operations or copied bytes).
 */
export class PatchError extends Error {
  /** True for a `test` of another value, which some callers treat as an answer. */
  readonly isFailedTest: boolean;

  constructor(
    readonly kind: 'malformed' | 'failed' | 'directive' | 'tooLarge',
    message: string,
    options: ErrorOptions & { readonly isFailedTest?: boolean } = {},
  ) {
    super(message, options);
    this.name = 'PatchError';
    this.isFailedTest = options.isFailedTest ?? false;
  }
}
