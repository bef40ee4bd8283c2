import type { JsonObject, JsonValue } from '../../../api/object.js';
import { isObject } from '../../../api/json/json.js';
import { itemsOf, membersOf } from '../../../api/json/members.js';
import { definitionsNeeded, nameIn } from './references.js';

/** A group version that another program serves. */
export interface RemoteVersionName {
  readonly group: string;
  readonly version: string;
}

const parametersPrefix = '#/parameters/';
const kindsMember = 'x-kubernetes-group-version-kind';

/**
 * Extracts a group version from a version 2 document: its paths and their definitions, nothing else that the server claims (`FilterSpecByPaths` of
 * kube-openapi, as in kube-aggregator). Inlines parameters. Definitions name no kinds of other groups, because clients find schemas by these names. Throws for
 * an invalid document. Pure.
 */
export function ownPart(document: JsonValue | undefined, { group, version }: RemoteVersionName): JsonObject {
  if (!isObject<JsonObject>(document) || (document['swagger'] ?? '2.0') !== '2.0' || !isObject<JsonObject>(document['paths']))
    throw new Error('this is no document of OpenAPI version 2');
  const root = `/apis/${group}/${version}`;
  const parameters = membersOf(document['parameters']);
  const paths = Object.fromEntries(
    Object.entries(document['paths'])
      .filter(([path]) => path === root || path.startsWith(`${root}/`))
      .map(([path, item]) => [path, withParameters(item, parameters)]),
  );
  const definitions = membersOf(document['definitions']);
  const needed = [...definitionsNeeded(paths, definitions)].sort();
  return {
    swagger: '2.0',
    info: membersOf(document['info']),
    paths,
    definitions: Object.fromEntries(needed.map((name) => [name, ofGroup(definitions[name], group)])),
  };
}

/** Inlines shared parameters of a path. */
function withParameters(item: JsonValue | undefined, shared: JsonObject): JsonValue {
  const written = (value: JsonValue | undefined): JsonValue =>
    itemsOf(value).map((each) => {
      const name = nameIn(membersOf(each)['$ref'], parametersPrefix);
      return name === null ? each : ((Object.hasOwn(shared, name) ? shared[name] : undefined) ?? each);
    });
  const expanded = (value: JsonObject): JsonObject =>
    value['parameters'] === undefined ? value : { ...value, parameters: written(value['parameters']) };
  return Object.fromEntries(
    Object.entries(expanded(membersOf(item))).map(([member, each]) => [member, isObject<JsonObject>(each) ? expanded(each) : each]),
  );
}

function ofGroup(definition: JsonValue | undefined, group: string): JsonObject {
  const { [kindsMember]: kinds, ...schema } = membersOf(definition);
  const own = itemsOf(kinds).filter((kind) => membersOf(kind)['group'] === group);
  return { ...schema, ...(own.length === 0 ? {} : { [kindsMember]: own }) };
}
