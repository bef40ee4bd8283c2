import type { JsonObject } from '../../../api/object.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { anySchema, isEmpty, isSet, isTrue, type Schema } from './schema/nodes.js';
import { isNonStructural } from './schema/schema.js';

/**
 * Definitions that were made before schemas had to be structural, or had to be there: they came with versions of this API that are gone, and are found where
 * objects have been taken over from a cluster of that age. They stay changeable as long as nothing is asked of their schemas that takes a structure.
 */

export const schemaOf = (version: JsonObject): Schema | null => objectAt(objectAt(version, 'schema') ?? {}, 'openAPIV3Schema');
export const schemasOf = (spec: JsonObject): Schema[] =>
  objectsIn(spec, 'versions')
    .map(schemaOf)
    .filter((schema) => schema !== null);

const flags = ['x-kubernetes-embedded-resource', 'x-kubernetes-int-or-string'];
const lists = ['x-kubernetes-list-map-keys', 'x-kubernetes-validations'];
const set = ['default', 'x-kubernetes-preserve-unknown-fields', 'x-kubernetes-list-type'];

/** Defaults, and extensions that say something of a structure. */
const takesStructure = (schema: Schema): boolean =>
  flags.some((member) => isTrue(schema, member)) ||
  lists.some((member) => !isEmpty(schema[member])) ||
  set.some((member) => isSet(schema, member));

/**
 * Whether schemas have to be structural: all new ones, and those of old once what they do not know is to be pruned, or once a structure is asked for.
 * `before`: the specification as it is stored; null on create.
 */
export const mustBeStructural = (spec: JsonObject, before: JsonObject | null): boolean =>
  before === null ||
  spec['preserveUnknownFields'] !== true ||
  schemasOf(spec).some((schema) => anySchema(schema, takesStructure)) ||
  !schemasOf(before).some(isNonStructural);
