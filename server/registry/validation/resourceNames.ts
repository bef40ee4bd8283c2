import { countedByName, podResources } from '../../../api/quota/usage.js';
import { isHugePages, isNativeResource } from '../../../api/resourceNames.js';
import { invalid, type Path, type FieldError } from './field.js';
import { qualifiedNameProblems } from './names.js';

const containerStandard: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage']);
const whole: ReadonlySet<string> = new Set(['pods', ...countedByName, 'services.nodeports', 'services.loadbalancers']);
/** Resources that quotas count, apart from huge pages. */
export const countedResources: ReadonlySet<string> = new Set([...podResources, ...whole, 'requests.storage']);
const standard: ReadonlySet<string> = new Set([...countedResources, 'storage']);
const isStandardResource = (name: string): boolean =>
  standard.has(name) || isHugePages(name) || isHugePages(name.replace(/^requests\./, ''));

/** Extended resources are never overcommitted. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return qualifiedNameProblems(`requests.${name}`).length === 0;
}

export const isWholeResource = (name: string): boolean => whole.has(name) || isExtendedResource(name);

/** Checks any resource name, as quotas and nodes use them. */
export function validateResourceName(name: string, path: Path): FieldError[] {
  const findings = qualifiedNameProblems(name).map((text) => invalid(path, name, text));
  if (findings.length > 0) return findings;
  return name.includes('/') || isStandardResource(name) ? [] : [invalid(path, name, 'must be a standard resource type or fully qualified')];
}

/** Checks the name of a resource that a container may request. */
export function validateContainerResourceName(name: string, path: Path): FieldError[] {
  if (containerStandard.has(name)) return [];
  const findings = validateResourceName(name, path);
  if (!name.includes('/'))
    return isHugePages(name) ? findings : [...findings, invalid(path, name, 'must be a standard resource for containers')];
  return isNativeResource(name) || isExtendedResource(name)
    ? findings
    : [...findings, invalid(path, name, "doesn't follow extended resource name standard")];
}
