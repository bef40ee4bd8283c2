/** What an image reference says after its name. `latest` stands in where it says nothing. */
export interface ImageVersion {
  readonly tag: string;
  readonly digest: string;
}

/** Splits `host:port/name:tag@algorithm:hex`. Anything is accepted: validation of references is left to the node that pulls them. */
export function imageVersion(reference: string): ImageVersion {
  const [named = '', digest = ''] = reference.split('@', 2);
  const lastSegment = named.slice(named.lastIndexOf('/') + 1);
  const colon = lastSegment.indexOf(':');
  const tag = colon < 0 ? '' : lastSegment.slice(colon + 1);
  return { tag: tag === '' && digest === '' ? 'latest' : tag, digest };
}
