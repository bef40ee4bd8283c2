import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { anySchema, isEmpty, isSet, isTrue, type Schema } from './schema/nodes.js';
import { isNonStructural } from './schema/schema.js';

/** Definitions from before schemas had to be structural, or present, stay changeable while nothing requires a structure. */

export const schemaOf = (version: JsonObject): Schema | null => objectAt(objectAt(version, 'schema') ?? {}, 'openAPIV3Schema');
export const schemasOf = (spec: JsonObject): Schema[] =>
  objectsIn(spec, 'versions')
    .map(schemaOf)
    .filter((schema) => schema !== null);

const flags = ['x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'];
const lists = ['x-kubernetes-list-map-keys', 'x-kubernetes-validations'];
const set = ['default', 'x-kubernetes-preserve-unknown-fields', 'x-kubernetes-list-type'];

/** Defaults, and extensions that require a structure. */
const takesStructure = (schema: Schema): boolean =>
  flags.some((member) => isTrue(schema, member)) ||
  lists.some((member) => !isEmpty(schema[member])) ||
  set.some((member) => isSet(schema, member));

/** All new schemas, and older ones once unknown fields are to be pruned. `before` is the stored specification; null on create. */
export const mustBeStructural = (spec: JsonObject, before: JsonObject | null): boolean =>
  before === null ||
  spec['preserveUnknownFields'] !== true ||
  schemasOf(spec).some((schema) => anySchema(schema, takesStructure)) ||
  !schemasOf(before).some(isNonStructural);
