import { badRequest } from '../api/status.js';
import type { FieldRequirement, FieldSelector } from '../api/selectors.js';
import type { ServedResource } from '../catalogue/resources.js';
import { newerEventFields } from '../kinds/core/events.js';
import { behaviourOf } from '../registry/behaviour.js';
import type { Strategy } from '../registry/strategy.js';

/** Names of fields in versions where they differ from those of the stored version. Names that are missing there are unknown. */
const RENAMED_FIELDS: Readonly<Record<string, Readonly<Record<string, string>>>> = { 'events.k8s.io/events': newerEventFields };

/** The selector in the stored version's names. Throws 400 for a field that the type does not select on. */
export function checkedFields(selector: FieldSelector, resource: ServedResource): FieldSelector {
  const strategy = behaviourOf(resource).strategy;
  const renamed = RENAMED_FIELDS[`${resource.group}/${resource.resource}`];
  return selector.map((requirement) => checked(requirement, resource, strategy, renamed));
}

function checked(
  requirement: FieldRequirement,
  resource: ServedResource,
  strategy: Strategy,
  renamed: Readonly<Record<string, string>> | undefined,
): FieldRequirement {
  const { field } = requirement;
  const name = renamed === undefined ? (strategy.fieldAliases?.[field] ?? field) : renamed[field];
  if (name !== undefined && supports(name, resource, strategy)) return name === field ? requirement : { ...requirement, field: name };
  throw badRequest(complaint(field, strategy));
}

function supports(field: string, { namespaced }: ServedResource, { selectableFieldNames }: Strategy): boolean {
  if (field === 'metadata.name') return true;
  // Cluster-scoped kinds that select on fields of their own do not know the namespace; the others ignore that they have none.
  if (field === 'metadata.namespace') return namespaced || selectableFieldNames === undefined;
  return selectableFieldNames?.includes(field) === true;
}

function complaint(field: string, strategy: Strategy): string {
  if (strategy.unsupportedField !== undefined) return strategy.unsupportedField(field);
  if (strategy.selectableFieldNames !== undefined) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
