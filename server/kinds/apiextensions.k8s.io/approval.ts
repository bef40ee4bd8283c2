import type * as v1 from '../../../api/types/apiextensions/v1.js';
import { invalid, Path, specOf, type Draft, type FieldError } from '../language.js';
import { required } from '../../registry/validation/field.js';
import { parseUrl } from '../admissionregistration.k8s.io/urls.js';

/** Groups in the community's domains need its approval. */

const annotation = 'api-approved.kubernetes.io';
const path = Path.of('metadata', 'annotations').key(annotation);
const domains = ['k8s.io', 'kubernetes.io'];
const demand = `protected groups must have approval annotation "${annotation}"`;
const see = 'see https://github.com/kubernetes/enhancements/pull/1111';

export type Approval = 'missing' | 'waived' | 'approved' | 'invalid';

type Definition = Draft<v1.CustomResourceDefinition>;

const annotationOf = (definition: Definition): string => definition.metadata.annotations?.[annotation] ?? '';

export function approvalOf(text: string): Approval {
  if (text === '') return 'missing';
  if (text.startsWith('unapproved')) return 'waived';
  const url = parseUrl(text);
  return url.ok && url.scheme !== '' && url.host !== '' ? 'approved' : 'invalid';
}

export const isProtectedGroup = (group: string): boolean => domains.some((domain) => group === domain || group.endsWith(`.${domain}`));

/** `old` is null on create. Accepted definitions stay accepted. */
export function validateApproval(definition: Definition, old: Definition | null): FieldError[] {
  if (!isProtectedGroup(specOf(definition).group ?? '')) return [];
  const approval = approvalOf(annotationOf(definition));
  if (old !== null && approvalOf(annotationOf(old)) === approval) return [];
  if (approval === 'missing') return [required(path, `${demand}, ${see}`)];
  return approval === 'invalid'
    ? [invalid(path, annotationOf(definition), `${demand} with either a URL or a reason starting with "unapproved", ${see}`)]
    : [];
}
