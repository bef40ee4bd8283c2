/** The tag defaults to `latest`. */
interface ImageVersion {
  readonly name: string;
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
const pathMax = 255;
const commonFolder = 'library/';
const identifierLength = 64;
const identifier = /^[a-f0-9]+$/;
const digestPattern = /^(?:sha256:[a-f0-9]{64}|sha384:[a-f0-9]{96}|sha512:[a-f0-9]{128})$/;
const domainPattern = new RegExp(`^(?:${domain})$`);

/** Returns Always for a moving tag, otherwise IfNotPresent, also for an unparsable reference. */
export const pullPolicyOf = (reference: string): 'Always' | 'IfNotPresent' => (isMoving(reference) ? 'Always' : 'IfNotPresent');

function isMoving(reference: string): boolean {
  if (reference.length > referenceMax || !referencePattern.test(reference)) return false;
  if (reference.length === identifierLength && identifier.test(reference)) return false;
  const { name, tag, digest } = imageVersion(reference);
  return tag === 'latest' && (digest === '' || digestPattern.test(digest)) && pathLength(name) <= pathMax;
}

/** Splits `host:port/name:tag@algorithm:hex`; the node that pulls the image validates it. */
function imageVersion(reference: string): ImageVersion {
  const [named = '', digest = ''] = reference.split('@', 2);
  const lastSegment = named.slice(named.lastIndexOf('/') + 1);
  const colon = lastSegment.indexOf(':');
  const tag = colon < 0 ? '' : lastSegment.slice(colon + 1);
  const name = colon < 0 ? named : named.slice(0, -tag.length - 1);
  return { name, tag: tag === '' && digest === '' ? 'latest' : tag, digest };
}

function pathLength(name: string): number {
  if (name.length + commonFolder.length <= pathMax) return name.length;
  const registry = registryOf(name);
  if (registry === '') return name.length + (name.includes('/') ? 0 : commonFolder.length);
  const path = name.slice(registry.length + 1);
  return path.length + (/^(?:index\.)?docker\.io$/.test(registry) && !path.includes('/') ? commonFolder.length : 0);
}

function registryOf(name: string): string {
  const first = name.slice(0, Math.max(0, name.indexOf('/')));
  const isOne = first === 'localhost' || /[.:A-Z]/.test(first);
  return isOne && domainPattern.test(first) ? first : '';
}
