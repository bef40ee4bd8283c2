import type { Catalogue, ServedResource } from '../../registry/resources.js';
import type { AdmissionRequest, GroupVersionKind } from '../../registry/admission.js';
import type { Addressed, Attributes } from './rules.js';

/** Returns the name for webhooks and policies; none before it is generated. */
export const nameAsked = ({ operation, object, form }: AdmissionRequest, { name, subresource }: Attributes): string =>
  operation === 'CREATE' && object !== null && (form === null || subresource === '') ? (object.metadata.name ?? '') : name;

export function attributesOf({ operation, resource, subresource, form, namespace, name }: AdmissionRequest): Attributes {
  const { group, version } = resource;
  const isNamespace = group === '' && resource.resource === 'namespaces';
  return {
    operation,
    group,
    version,
    resource: resource.resource,
    subresource,
    name,
    namespace: isNamespace ? name : namespace,
    kind: form === null ? { group, version, kind: resource.kind } : { group: form.group, version: form.version, kind: form.kind },
  };
}

/** Returns other served versions of the resource, and of other groups' resources that share its storage, without versions that lack the subresource. */
export function equivalentsOf({ resource, subresource, form }: AdmissionRequest, catalogue: Catalogue): Addressed[] {
  const others = sharing(resource).flatMap(({ group, resource: name }) =>
    (catalogue.group(group)?.versions ?? []).flatMap(({ resources }) => resources.filter((each) => each.resource === name)),
  );
  return others
    .filter((each) => each.group !== resource.group || each.version !== resource.version)
    .filter((each) => subresource === '' || each.subresources.has(subresource))
    .map((each) => ({ group: each.group, version: each.version, resource: each.resource, subresource, kind: kindOf(each, form) }));
}

/** A subresource's own form is the same in all versions. */
const kindOf = ({ group, version, kind }: ServedResource, form: AdmissionRequest['form']): GroupVersionKind =>
  form === null ? { group, version, kind } : { group: form.group, version: form.version, kind: form.kind };

const events = [
  { group: '', resource: 'events' },
  { group: 'events.k8s.io', resource: 'events' },
] as const;

const sharing = ({ group, resource, storage }: ServedResource): readonly { readonly group: string; readonly resource: string }[] =>
  storage.group === '' && storage.resource === 'events' ? events : [{ group, resource }];
