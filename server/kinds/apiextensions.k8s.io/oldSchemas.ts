import { isSet, objectsIn } from '../language.js';
import { schemaOf, type Spec } from './hoisting.js';
import { anySchema, isEmpty, type Schema } from './schema/nodes.js';
import { isNonStructural } from './schema/schema.js';

/** Definitions from before schemas had to be structural, or present, stay changeable while nothing requires a structure. */

export const schemasOf = (spec: Spec): Schema[] =>
  objectsIn(spec, 'versions')
    .map(schemaOf)
    .filter((schema) => schema !== null);

const flags = ['x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'] as const;
const lists = ['x-kubernetes-list-map-keys', 'x-kubernetes-validations'] as const;
const set = ['default', 'x-kubernetes-preserve-unknown-fields', 'x-kubernetes-list-type'] as const;

/** Defaults, and extensions that require a structure. */
const takesStructure = (schema: Schema): boolean =>
  flags.some((member) => schema[member] === true) ||
  lists.some((member) => !isEmpty(schema[member])) ||
  set.some((member) => isSet(schema[member]));

/** All new schemas, and older ones once unknown fields are to be pruned. `before` is the stored specification; null on create. */
export const mustBeStructural = (spec: Spec, before: Spec | null): boolean =>
  before === null ||
  spec.preserveUnknownFields !== true ||
  schemasOf(spec).some((schema) => anySchema(schema, takesStructure)) ||
  !schemasOf(before).some(isNonStructural);
