import type { JsonObject, JsonValue } from '../../../api/object.js';
import { isObject } from '../../../api/json/json.js';
import { itemsOf, membersOf, textAt } from '../../../api/json/members.js';
import { definitionsPrefix, nameIn, referenceTo, schemasPrefix, withReferences } from './references.js';

/** Converts version 2 to version 3, for servers without the latter (`openapiconv` of kube-openapi). Pure. */
export function upgraded({ info = {}, paths, definitions }: JsonObject): JsonObject {
  const schemas = Object.fromEntries(Object.entries(membersOf(definitions)));
  return {
    openapi: '3.0.0',
    info,
    paths: Object.fromEntries(Object.entries(membersOf(paths)).map(([path, item]) => [path, pathItem(membersOf(item))])),
    components: { schemas: inComponents(schemas) },
  };
}

const inComponents = (value: JsonValue): JsonValue =>
  withReferences(value, (reference) => {
    const name = nameIn(reference, definitionsPrefix);
    return name === null ? reference : referenceTo(schemasPrefix, name);
  });

const methods: ReadonlySet<string> = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch']);

const pathItem = (item: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(item).map(([member, value]) => [
      member,
      methods.has(member) ? operation(membersOf(value)) : member === 'parameters' ? itemsOf(value).map(parameter) : value,
    ]),
  );

function operation({ parameters, consumes, produces, schemes: _, responses, ...kept }: JsonObject): JsonObject {
  const all = itemsOf(parameters).map(membersOf);
  const body = all.find((each) => each['in'] === 'body');
  const others = all.filter((each) => each['in'] !== 'body');
  return {
    ...kept,
    ...(others.length === 0 ? {} : { parameters: others.map(parameter) }),
    ...(body === undefined ? {} : { requestBody: requestBody(body, consumes) }),
    responses: Object.fromEntries(Object.entries(membersOf(responses)).map(([code, each]) => [code, response(membersOf(each), produces)])),
  };
}

const content = (mediaTypes: JsonValue | undefined, schema: JsonValue): JsonObject => {
  const names = itemsOf(mediaTypes).map(String);
  return Object.fromEntries((names.length === 0 ? ['application/json'] : names).map((name) => [name, { schema: inComponents(schema) }]));
};

const requestBody = ({ description, required, schema = {} }: JsonObject, consumes: JsonValue | undefined): JsonObject => ({
  ...(description === undefined ? {} : { description }),
  content: content(consumes, schema),
  ...(required === true ? { required } : {}),
});

const response = ({ schema, ...kept }: JsonObject, produces: JsonValue | undefined): JsonObject => ({
  ...kept,
  ...(isObject<JsonObject>(schema) ? { content: content(produces, schema) } : {}),
});

/** Siblings of a parameter's schema in version 3; other members belong to the schema. */
const outside: ReadonlySet<string> = new Set(['name', 'in', 'description', 'required', 'allowEmptyValue']);

function parameter(value: JsonValue): JsonObject {
  const entries = Object.entries(membersOf(value));
  if (textAt(value, '$ref') !== '') return membersOf(value);
  const isOutside = ([member]: [string, unknown]): boolean => outside.has(member) || member.startsWith('x-');
  const schema = entries.filter((entry) => !isOutside(entry) && entry[0] !== 'collectionFormat');
  return { ...Object.fromEntries(entries.filter(isOutside)), schema: inComponents(Object.fromEntries(schema)) };
}
