import {
  forbidden,
  inOrder,
  inOrderOfTexts,
  invalid,
  isSet,
  itemsOf,
  missing,
  ofAll,
  outcomeOf,
  type FieldError,
  type Found,
  type Path,
  type Steps,
} from '../../language.js';
import { validateCompleteness } from './completeness.js';
import { alternatives, isEmpty, itemSchemaOf, propertiesOf, propertyOf, restSchemaOf, typeOf, type Junctor, type Schema } from './nodes.js';
import { patternProblem } from './pattern.js';

/** Conditions on values (`allOf`, `anyOf`, `oneOf`, `not`) may restrict described fields, but not describe new ones. */

type Level = 'root' | 'item' | 'field';

const embeddedMember = 'x-kubernetes-embedded-resource';
const preserve = 'x-kubernetes-preserve-unknown-fields';
const intOrString = 'x-kubernetes-int-or-string';
const typeMissing: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};
const metadataText = 'must not specify anything other than name and generateName, but metadata is implicitly specified';

/** Sorted by text, as in the reference, which iterates over maps. */
export function* validateStructural(schema: Schema, path: Path): Steps<FieldError[]> {
  const invariants = yield* outcomeOf(validateInvariants(schema, 'root', path));
  yield;
  return yield* inOrderOfTexts([...invariants, ...validateCompleteness(schema, path)]);
}

function validateInvariants(schema: Schema, level: Level, path: Path): Found {
  const [items, rest] = [itemSchemaOf(schema), restSchemaOf(schema)];
  return inOrder(
    typeOf(schema) === 'array' && items === null ? [missing(path.child('items'), 'must be specified')] : [],
    items === null ? [] : validateInvariants(items, 'item', path.child('items')),
    ofAll(propertiesOf(schema), ([name, child]) => validateInvariants(child, 'field', path.child('properties').key(name))),
    isSet(schema.additionalProperties) && level === 'root'
      ? [forbidden(path.child('additionalProperties'), 'must not be used at the root')]
      : [],
    rest === null ? [] : validateInvariants(rest, 'field', path.child('additionalProperties')),
    validateIntOrString(schema, path),
    validateConditions(schema, path, {
      anyOf: isIntOrString(schema),
      firstAllOf: isIntOrString(alternatives(schema, 'allOf')[0] ?? {}),
    }),
    validateType(schema, level, path),
    validateObject(schema, level, path),
  );
}

function validateIntOrString(schema: Schema, path: Path): FieldError[] {
  if (!schema[intOrString] === true) return [];
  return ([preserve, embeddedMember] as const)
    .filter((member) => schema[member] === true)
    .map((member) => invalid(path.child(member), true, `must be false if ${intOrString} is true`));
}

function validateType(schema: Schema, level: Level, path: Path): FieldError[] {
  const type = typeOf(schema);
  const at = path.child('type');
  const findings: FieldError[] = [];
  if (schema[embeddedMember] === true && type !== 'object') {
    const text = `must be object if ${embeddedMember} is true`;
    findings.push(type === '' ? missing(at, text) : invalid(at, type, text));
  } else if (type === '' && !schema[intOrString] === true && !schema[preserve] === true) {
    findings.push(missing(at, typeMissing[level]));
  }
  if (level === 'root' && type !== '' && type !== 'object') findings.push(invalid(at, type, 'must be object at the root'));
  return findings;
}

/** Root and embedded objects have a described kind, version and metadata. */
function validateObject(schema: Schema, level: Level, path: Path): FieldError[] {
  const embedded = schema[embeddedMember] === true;
  const whole = level === 'root' || embedded;
  const metadata = propertyOf(schema, 'metadata');
  return [
    ...(embedded && isSet(schema.additionalProperties)
      ? [forbidden(path.child('additionalProperties'), `must not be used if ${embeddedMember} is set`)]
      : []),
    ...(whole ? ['kind', 'apiVersion'] : []).flatMap((name) => {
      const property = propertyOf(schema, name);
      return property === null || typeOf(property) === 'string'
        ? []
        : [invalid(path.child('properties').key(name).child('type'), typeOf(property), 'must be string')];
    }),
    ...(metadata === null ? [] : validateMetadata(metadata, { level, whole }, path.child('properties').key('metadata'))),
    ...(embedded && !schema[preserve] === true && propertiesOf(schema).length === 0
      ? [missing(path.child('properties'), `must not be empty if ${embeddedMember} is true without ${preserve}`)]
      : []),
  ];
}

function validateMetadata(metadata: Schema, { level, whole }: { level: Level; whole: boolean }, path: Path): FieldError[] {
  const narrowed = propertiesOf(metadata).every(([name]) => name === 'name' || name === 'generateName');
  const ignored = ['type', 'default', 'externalDocs', 'example', ...(narrowed ? ['properties'] : [])];
  return [
    ...(whole && typeOf(metadata) !== 'object' ? [invalid(path.child('type'), typeOf(metadata), 'must be object')] : []),
    ...(level === 'root' && Object.entries(metadata).some(([member, value]) => !ignored.includes(member) && isStated(member, value))
      ? [forbidden(path, metadataText)]
      : []),
  ];
}

/** An empty list of these is kept as a list, and counts (apiserver/schema/convert.go). */
const keptEmpty = ['required', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'];
const isStated = (member: string, value: unknown): boolean => !isEmpty(value) || (keptEmpty.includes(member) && isSet(value));

/** `anyOf: [{type: integer}, {type: string}]`, the older form of an extension. */
function isIntOrString(schema: Schema): boolean {
  const types = itemsOf(schema.anyOf).map(isBareType);
  return types.length === 2 && types[0] === 'integer' && types[1] === 'string';
}

const isBareType = (schema: Schema): string | null =>
  Object.entries(schema).every(([member, value]) => member === 'type' || isEmpty(value)) ? typeOf(schema) : null;

/** Conditions that may name types: both forms of "integer or string". */
interface Excepted {
  readonly anyOf: boolean;
  readonly firstAllOf: boolean;
}

const none: Excepted = { anyOf: false, firstAllOf: false };

function validateConditions(schema: Schema, path: Path, excepted: Excepted): Found {
  const each = (junctor: Junctor): Found =>
    ofAll(alternatives(schema, junctor), (child, position) =>
      validateCondition(
        child,
        path.child(junctor).index(position),
        junctor === 'allOf' && position === 0 && excepted.firstAllOf ? { anyOf: true, firstAllOf: false } : none,
      ),
    );
  const { not, pattern = '' } = schema;
  const problem = pattern === '' ? null : patternProblem(pattern);
  return inOrder(
    excepted.anyOf ? [] : each('anyOf'),
    each('allOf'),
    each('oneOf'),
    isSet(not) ? validateCondition(not, path.child('not'), none) : [],
    problem === null ? [] : [invalid(path.child('pattern'), pattern, `must be a valid regular expression, but isn't: ${problem}`)],
  );
}

/** Members that conditions may not have, and the form of the refusal. */
const describing: readonly (readonly [member: keyof Schema, demand: 'empty' | 'undefined' | 'false'])[] = [
  ['type', 'empty'],
  ['additionalProperties', 'undefined'],
  ['default', 'undefined'],
  ['title', 'empty'],
  ['description', 'empty'],
  ['nullable', 'false'],
  [preserve, 'false'],
  [embeddedMember, 'false'],
  [intOrString, 'false'],
  ['x-kubernetes-list-map-keys', 'empty'],
  ['x-kubernetes-list-type', 'undefined'],
  ['x-kubernetes-map-type', 'undefined'],
  ['x-kubernetes-validations', 'empty'],
];

function validateCondition(schema: Schema, path: Path, excepted: Excepted): Found {
  const items = itemSchemaOf(schema);
  return inOrder(
    validateConditions(schema, path, excepted),
    items === null ? [] : validateCondition(items, path.child('items'), none),
    ofAll(propertiesOf(schema), ([name, child]) => validateCondition(child, path.child('properties').key(name), none)),
    describing
      .filter(([member, demand]) => (demand === 'undefined' ? isSet(schema[member]) : !isEmpty(schema[member])))
      .map(([member, demand]) => forbidden(path.child(member), `must be ${demand} to be structural`)),
    propertyOf(schema, 'metadata') === null
      ? []
      : [forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context')],
  );
}
