import type { FieldRequirement, FieldSelector } from '../../api/selectors/index.js';
import { apiVersionOf } from '../../api/resource.js';
import { badRequest } from '../../api/status.js';
import type { ServedResource } from '../registry/resources.js';

/** Throws 400 for an unsupported field. */
export const checkedFields = (selector: FieldSelector, resource: ServedResource): FieldSelector =>
  selector.map((requirement) => checked(requirement, resource));

function checked(requirement: FieldRequirement, resource: ServedResource): FieldRequirement {
  const { field } = requirement;
  const { strategy, fieldNames } = resource.behaviour;
  const { fields } = strategy.read;
  const name = fieldNames === null ? (fields.aliases[field] ?? field) : fieldNames[field];
  if (name === undefined || !(name === 'metadata.name' || fields.supports(name)))
    throw badRequest(fields.unsupported(field, apiVersionOf(resource)));
  return name === field ? requirement : { ...requirement, field: name };
}
