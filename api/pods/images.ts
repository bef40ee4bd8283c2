/** What an image reference says after its name. `latest` stands in where it says nothing. */
export interface ImageVersion {
  readonly tag: string;
  readonly digest: string;
}

/** Words of a registry's address, of a path, a tag and a digest, as the distribution project's grammar of references has them. */
const domain =
  '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?|\\[[a-fA-F0-9:]+\\](?::[0-9]+)?';
const pathWord = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const referencePattern = new RegExp(
  `^(?:(?:${domain})/)?${pathWord}(?:/${pathWord})*(?::[\\w][\\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);
/** Longer ones are no references, and cost to look at. */
const referenceMax = 1_024;

/** When an image is pulled where nobody says it: each time if its tag moves, else once; so is what cannot be read as a reference. */
export const pullPolicyOf = (reference: string): 'Always' | 'IfNotPresent' =>
  reference.length <= referenceMax && referencePattern.test(reference) && imageVersion(reference).tag === 'latest'
    ? 'Always'
    : 'IfNotPresent';

/** Splits `host:port/name:tag@algorithm:hex`. Anything is accepted: validation of references is left to the node that pulls them. */
function imageVersion(reference: string): ImageVersion {
  const [named = '', digest = ''] = reference.split('@', 2);
  const lastSegment = named.slice(named.lastIndexOf('/') + 1);
  const colon = lastSegment.indexOf(':');
  const tag = colon < 0 ? '' : lastSegment.slice(colon + 1);
  return { tag: tag === '' && digest === '' ? 'latest' : tag, digest };
}
