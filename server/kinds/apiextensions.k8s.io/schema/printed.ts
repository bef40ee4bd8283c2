import {
  flags,
  isObject,
  itemsOf,
  listOf,
  membersOf,
  optionals,
  optionalStructure,
  printedBy,
  printedStructure,
  texts,
  type JsonObject,
  type JsonValue,
  type StructureForm,
} from '../../language.js';

/** Schemas as messages quote them: the reference prints its internal structure. */
export const printedSchema = (schema: JsonValue): JsonObject => printedStructure(schema, form);

/** One schema for all items, or one for each position. */
export const printedItems = (value: JsonValue): JsonObject =>
  Array.isArray(value) ? { Schema: null, JSONSchemas: all(value) } : { Schema: printedSchema(value), JSONSchemas: null };

const all = (value: JsonValue): JsonValue[] => itemsOf(value).map(printedSchema);
const orFlag = (value: JsonValue): JsonObject => ({ Allows: value !== false, Schema: isObject(value) ? printedSchema(value) : null });
const orNames = (value: JsonValue): JsonObject =>
  Array.isArray(value) ? { Schema: null, Property: value } : { Schema: printedSchema(value), Property: null };
const named =
  (print: (value: JsonValue) => JsonValue) =>
  (value: JsonValue): JsonValue =>
    Object.fromEntries(
      Object.keys(membersOf(value))
        .sort()
        .map((name) => [name, print(membersOf(value)[name] ?? null)]),
    );

/** Values of any type are maps for the reference, which prints members by name. */
const inOrderOfNames = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map((item) => inOrderOfNames(item as JsonValue));
  return isObject(value) ? named(inOrderOfNames)(value as JsonObject) : value;
};

const form: StructureForm = [
  ...texts('id=ID', '$schema=Schema'),
  ...optionals('$ref=Ref'),
  ...texts('description', 'type'),
  ...flags('nullable'),
  ...texts('format', 'title'),
  ...printedBy(inOrderOfNames, 'default'),
  ...optionals('maximum'),
  ...flags('exclusiveMaximum'),
  ...optionals('minimum'),
  ...flags('exclusiveMinimum'),
  ...optionals('maxLength', 'minLength'),
  ...texts('pattern'),
  ...optionals('maxItems', 'minItems'),
  ...flags('uniqueItems'),
  ...optionals('multipleOf'),
  ...printedBy(inOrderOfNames, 'enum'),
  ...optionals('maxProperties', 'minProperties', 'required'),
  ...printedBy(printedItems, 'items'),
  ...printedBy(all, 'allOf', 'oneOf', 'anyOf'),
  ...printedBy(printedSchema, 'not'),
  ...printedBy(named(printedSchema), 'properties'),
  ...printedBy(orFlag, 'additionalProperties'),
  ...printedBy(named(printedSchema), 'patternProperties'),
  ...printedBy(named(orNames), 'dependencies'),
  ...printedBy(orFlag, 'additionalItems'),
  ...printedBy(named(printedSchema), 'definitions'),
  ...optionalStructure('externalDocs', texts('description', 'url=URL')),
  ...printedBy(inOrderOfNames, 'example'),
  ...optionals('x-kubernetes-preserve-unknown-fields=XPreserveUnknownFields'),
  ...flags('x-kubernetes-embedded-resource=XEmbeddedResource', 'x-kubernetes-int-or-string=XIntOrString'),
  ...optionals('x-kubernetes-list-map-keys=XListMapKeys', 'x-kubernetes-list-type=XListType', 'x-kubernetes-map-type=XMapType'),
  ...listOf('x-kubernetes-validations=XValidations', [
    ...texts('rule', 'message', 'messageExpression'),
    ...optionals('reason'),
    ...texts('fieldPath'),
    ...optionals('optionalOldSelf'),
  ]),
];
