import { objectAt, objectsIn } from '../../../../api/json/defaulting.js';
import { itemsOf } from '../../../../api/json/members.js';
import { forbidden, invalid, keepable, notSupported, required, type FieldError, type Path } from '../../../registry/validation/field.js';
import { validateLists } from './lists.js';
import {
  alternatives,
  isEmpty,
  isSet,
  isTrue,
  itemSchemaOf,
  namedSchemas,
  propertiesOf,
  restSchemaOf,
  typeOf,
  type Schema,
} from './nodes.js';
import { validateRules } from './rules.js';
import { inOrder, ofEach, type Found } from '../../../registry/validation/ofEach.js';

/** Rules for any schema; `structural.ts` checks whether it describes a structure. */

const types = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const meta = ['metadata', 'kind', 'apiVersion'];
const mapTypes = ['atomic', 'granular'];
const unique = 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic';
const preserve = 'x-kubernetes-preserve-unknown-fields';
const mapTypeMember = 'x-kubernetes-map-type';
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
  const each = (junctor: string): Found =>
    ofEach(alternatives(schema, junctor), (child, position) => validateOpenApi(child, path.child(junctor).index(position), below));
  const [not, items] = [objectAt(schema, 'not'), itemSchemaOf(schema)];
  return inOrder(
    validateSupported(schema, path, place),
    isTrue(schema, 'uniqueItems') ? [forbidden(path.child('uniqueItems'), unique)] : [],
    validateRest(schema, path, below),
    ofEach(propertiesOf(schema), ([name, child]) =>
      validateOpenApi(child, path.child('properties').key(name), placeOf(schema, name, place)),
    ),
    not === null ? [] : validateOpenApi(not, path.child('not'), below),
    ofEach(['allOf', 'oneOf', 'anyOf'], each),
    ofEach(namedSchemas(schema, 'definitions'), ([name, child]) => validateOpenApi(child, path.child('definitions').key(name), below)),
    items === null ? [] : validateOpenApi(items, path.child('items'), below),
    ofEach(objectsIn(schema, 'items'), (child, position) => validateOpenApi(child, path.child('items').index(position), below)),
    ofEach(namedSchemas(schema, 'dependencies'), ([name, child]) => validateOpenApi(child, path.child('dependencies').key(name), below)),
    validateExtensions(schema, path),
    validateLists(schema, path),
    validateRules(schema, path),
  );
}

function placeOf(schema: Schema, property: string, place: Place): Place {
  if (!(place.root || isTrue(schema, embedded)) || !meta.includes(property)) return { ...place, root: false };
  return { root: false, insideMetadata: true, noDefaults: place.root ? `in top-level ${property}` : place.noDefaults };
}

/** An object has either `properties` or `additionalProperties`, not both. */
function validateRest(schema: Schema, path: Path, place: Place): Found {
  const rest = restSchemaOf(schema);
  const closed = schema['additionalProperties'] === false;
  const restPlace = place.insideMetadata ? { ...place, noDefaults: 'inside additionalProperties applying to object metadata' } : place;
  return inOrder(
    (rest !== null || closed) && propertiesOf(schema).length > 0
      ? [forbidden(path.child('additionalProperties'), 'additionalProperties and properties are mutual exclusive')]
      : [],
    rest === null ? [] : validateOpenApi(rest, path.child('additionalProperties'), restPlace),
  );
}

function validateSupported(schema: Schema, path: Path, place: Place): FieldError[] {
  const type = typeOf(schema);
  const unsupported = (member: string, present: boolean): FieldError[] =>
    present ? [forbidden(path.child(member), `${member} is not supported`)] : [];
  return [
    ...(type === '' || types.includes(type) ? [] : keepable('types of schemas', [notSupported(path.child('type'), type, types)])),
    ...(isSet(schema, 'default') && place.noDefaults !== null
      ? [forbidden(path.child('default'), `must not be set ${place.noDefaults}`)]
      : []),
    ...unsupported('id', !isEmpty(schema['id'])),
    ...unsupported('additionalItems', isSet(schema, 'additionalItems')),
    ...unsupported('patternProperties', !isEmpty(schema['patternProperties'])),
    ...unsupported('definitions', !isEmpty(schema['definitions'])),
    ...unsupported('dependencies', isSet(schema, 'dependencies')),
    ...unsupported('$ref', isSet(schema, '$ref')),
    ...(type === 'null' ? [forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative')] : []),
    ...(itemsOf(schema['items']).length > 0 ? [forbidden(path.child('items'), 'items must be a schema object and not an array')] : []),
    ...(place.insideMetadata && isTrue(schema, embedded)
      ? [forbidden(path.child(embedded), 'must not be used inside of resource meta')]
      : []),
  ];
}

function validateExtensions(schema: Schema, path: Path): FieldError[] {
  const [type, mapType] = [typeOf(schema), schema[mapTypeMember]];
  const typeText = `must be object if ${mapTypeMember} is specified`;
  return [
    ...(schema[preserve] === false ? [invalid(path.child(preserve), false, 'must be true or undefined')] : []),
    ...(!isSet(schema, mapTypeMember) || type === 'object'
      ? []
      : [type === '' ? required(path.child('type'), typeText) : invalid(path.child('type'), type, typeText)]),
    ...(!isSet(schema, mapTypeMember) || mapTypes.includes(String(mapType))
      ? []
      : [notSupported(path.child(mapTypeMember), mapType, mapTypes)]),
  ];
}
