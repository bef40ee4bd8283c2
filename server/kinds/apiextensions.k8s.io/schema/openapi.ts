import type * as v1 from '../../../../api/types/apiextensions/v1.js';
import {
  all,
  changed,
  forbidden,
  forbiddenAs,
  inOrder,
  invalid,
  isSet,
  itemsOf,
  keepable,
  knowing,
  members,
  missing,
  nonZero,
  ofEach,
  oneOf,
  optional,
  when,
  withFacts,
  type FieldError,
  type Found,
  type Path,
  type Rule,
} from '../../language.js';
import { validateLists } from './lists.js';
import {
  alternatives,
  isEmpty,
  itemSchemaOf,
  itemSchemasOf,
  namedSchemas,
  propertiesOf,
  restSchemaOf,
  typeOf,
  type Junctor,
  type Schema,
} from './nodes.js';
import { validateRules } from './rules.js';

/** Rules for any schema; `structural.ts` checks whether it describes a structure. */

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const meta = ['metadata', 'kind', 'apiVersion'];
const quadratic = forbiddenAs('uniqueItems cannot be set to true since the runtime complexity becomes quadratic');
const preserve = 'x-kubernetes-preserve-unknown-fields';
const mapType = 'x-kubernetes-map-type';
const embedded = 'x-kubernetes-embedded-resource';

/** A place in a schema: metadata has stricter rules. */
export interface Place {
  readonly root: boolean;
  readonly insideMetadata: boolean;
  /** The reason against defaults here, or null. */
  readonly noDefaults: string | null;
}

const root: Place = { root: true, insideMetadata: false, noDefaults: null };

export function validateOpenApi(schema: Schema, path: Path, place: Place = root): Found {
  const below: Place = { ...place, root: false };
  const each = (junctor: Junctor): Found =>
    ofEach(alternatives(schema, junctor), (child, position) => validateOpenApi(child, path.child(junctor).index(position), below));
  const items = itemSchemaOf(schema);
  return inOrder(
    withFacts(supported, place)(schema, path),
    schema.uniqueItems === true ? quadratic(true, path.child('uniqueItems'), schema) : [],
    validateRest(schema, path, below),
    ofEach(propertiesOf(schema), ([name, child]) =>
      validateOpenApi(child, path.child('properties').key(name), placeOf(schema, name, place)),
    ),
    isSet(schema.not) ? validateOpenApi(schema.not, path.child('not'), below) : [],
    ofEach(['allOf', 'oneOf', 'anyOf'] as const, each),
    ofEach(namedSchemas(schema.definitions), ([name, child]) => validateOpenApi(child, path.child('definitions').key(name), below)),
    items === null ? [] : validateOpenApi(items, path.child('items'), below),
    ofEach(itemSchemasOf(schema), (child, position) => validateOpenApi(child, path.child('items').index(position), below)),
    ofEach(namedSchemas(schema.dependencies), ([name, child]) => validateOpenApi(child, path.child('dependencies').key(name), below)),
    extensions(schema, path, null),
    validateLists(schema, path),
    validateRules(schema, path),
  );
}

function placeOf(schema: Schema, property: string, place: Place): Place {
  if (!(place.root || schema[embedded] === true) || !meta.includes(property)) return { ...place, root: false };
  return { root: false, insideMetadata: true, noDefaults: place.root ? `in top-level ${property}` : place.noDefaults };
}

/** An object has either `properties` or `additionalProperties`, not both. */
function validateRest(schema: Schema, path: Path, place: Place): Found {
  const rest = restSchemaOf(schema);
  const closed = schema.additionalProperties === false;
  const restPlace = place.insideMetadata ? { ...place, noDefaults: 'inside additionalProperties applying to object metadata' } : place;
  return inOrder(
    (rest !== null || closed) && propertiesOf(schema).length > 0
      ? [forbidden(path.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive')]
      : [],
    rest === null ? [] : validateOpenApi(rest, path.child('additionalProperties'), restPlace),
  );
}

const isFilled = (value: unknown): boolean => !isEmpty(value);
const unsupported = (member: keyof Schema): Rule<unknown> => when(isFilled, forbiddenAs(`${member} is not supported`));
const unsupportedPointer = (member: keyof Schema): Rule<unknown> => forbiddenAs(`${member} is not supported`);

const supported = all<Schema, unknown, Place>(
  members<v1.JSONSchemaProps, Place>({
    type: nonZero(changed(oneOf(...types), (findings) => keepable('types of schemas', findings))),
    default: optional(
      knowing((_value, path, { noDefaults }) => (noDefaults === null ? [] : [forbidden(path, `must not be set ${noDefaults}`)])),
    ),
    id: unsupported('id'),
    additionalItems: unsupportedPointer('additionalItems'),
    patternProperties: unsupported('patternProperties'),
    definitions: unsupported('definitions'),
    dependencies: unsupportedPointer('dependencies'),
    $ref: unsupportedPointer('$ref'),
  }),
  members<v1.JSONSchemaProps, Place>({
    type: when((type) => type === 'null', forbiddenAs('type cannot be set to null, use nullable as an alternative')),
    items: when((items) => itemsOf(items).length > 0, forbiddenAs('items must be a schema object and not an array')),
    [embedded]: when(
      (isEmbedded) => isEmbedded === true,
      knowing((_value, path, { insideMetadata }) => (insideMetadata ? [forbidden(path, 'must not be used inside of resource meta')] : [])),
    ),
  }),
);

function objectWithMapType(schema: Schema, path: Path): FieldError[] {
  const [type, at] = [typeOf(schema), path.child('type')];
  if (!isSet(schema[mapType]) || type === 'object') return [];
  const text = `must be object if ${mapType} is specified`;
  return [type === '' ? missing(at, text) : invalid(at, type, text)];
}

const extensions = all<Schema>(
  members<v1.JSONSchemaProps>({
    [preserve]: (kept, path) => (kept === false ? [invalid(path, false, 'must be true or undefined')] : []),
  }),
  objectWithMapType,
  members<v1.JSONSchemaProps>({ [mapType]: optional(oneOf('atomic', 'granular')) }),
);
