/** The tag defaults to `latest`. */
export interface ImageVersion {
  readonly tag: string;
  readonly digest: string;
}

/** Patterns from the distribution project's reference grammar. */
const domain =
  '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?|\\[[a-fA-F0-9:]+\\](?::[0-9]+)?';
const pathWord = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const referencePattern = new RegExp(
  `^(?:(?:${domain})/)?${pathWord}(?:/${pathWord})*(?::[\\w][\\w.-]{0,127})?(?:@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?$`,
);
/** Longer references are invalid and costly to match. */
const referenceMax = 1_024;

/** Returns Always for a moving tag, otherwise IfNotPresent, also for an unparsable reference. */
export const pullPolicyOf = (reference: string): 'Always' | 'IfNotPresent' =>
  reference.length <= referenceMax && referencePattern.test(reference) && imageVersion(reference).tag === 'latest'
    ? 'Always'
    : 'IfNotPresent';

/** Splits `host:port/name:tag@algorithm:hex`; the node that pulls the image validates it. */
function imageVersion(reference: string): ImageVersion {
  const [named = '', digest = ''] = reference.split('@', 2);
  const lastSegment = named.slice(named.lastIndexOf('/') + 1);
  const colon = lastSegment.indexOf(':');
  const tag = colon < 0 ? '' : lastSegment.slice(colon + 1);
  return { tag: tag === '' && digest === '' ? 'latest' : tag, digest };
}
