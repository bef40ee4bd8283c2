import type { FieldRequirement, FieldSelector } from '../api/selectors.js';
import { badRequest } from '../api/status.js';
import type { ServedResource } from '../registry/resources.js';
import type { FieldRules } from '../registry/strategy.js';

/** The selector in the stored version's names. Throws 400 for a field that the type does not select on. */
export const checkedFields = (selector: FieldSelector, resource: ServedResource): FieldSelector =>
  selector.map((requirement) => checked(requirement, resource));

function checked(requirement: FieldRequirement, resource: ServedResource): FieldRequirement {
  const { field } = requirement;
  const { strategy, fieldNames } = resource.behaviour;
  const name = fieldNames === null ? (strategy.fields?.aliases?.[field] ?? field) : fieldNames[field];
  if (name !== undefined && supports(name, resource, strategy.fields))
    return name === field ? requirement : { ...requirement, field: name };
  throw badRequest(complaint(field, strategy.fields));
}

function supports(field: string, { namespaced }: ServedResource, fields: FieldRules | undefined): boolean {
  if (field === 'metadata.name') return true;
  // Cluster-scoped kinds that select on fields of their own do not know the namespace; the others ignore that they have none.
  if (field === 'metadata.namespace') return namespaced || fields === undefined;
  return fields !== undefined && Object.hasOwn(fields.values, field);
}

function complaint(field: string, fields: FieldRules | undefined): string {
  if (fields === undefined) return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
  return fields.unsupported?.(field) ?? `field label not supported: ${field}`;
}
