import type { JsonObject, JsonValue } from '../../api/object.js';
import { objectsIn } from '../../api/json/defaulting.js';
import { itemsOf, membersOf, textAt } from '../../api/json/members.js';

/** Extracts one version from aggregated discovery; empty if absent. Pure. */
export function resourcesInList(list: JsonValue, own: { readonly group: string; readonly version: string }): JsonObject[] {
  const group = objectsIn(membersOf(list), 'items').find((each) => textAt(each, 'metadata', 'name') === own.group);
  const version = objectsIn(group ?? {}, 'versions').find((each) => textAt(each, 'version') === own.version);
  return objectsIn(version ?? {}, 'resources').map((entry) => ({
    resource: textAt(entry, 'resource'),
    responseKind: kindIn(entry),
    scope: textAt(entry, 'scope'),
    singularResource: textAt(entry, 'singularResource'),
    ...texts(entry, 'verbs'),
    ...texts(entry, 'shortNames'),
    ...texts(entry, 'categories'),
    ...(itemsOf(entry['subresources']).length === 0
      ? {}
      : {
          subresources: objectsIn(entry, 'subresources').map((each) => ({
            subresource: textAt(each, 'subresource'),
            responseKind: kindIn(each),
            ...texts(each, 'verbs'),
          })),
        }),
  }));
}

/** Clients rely on a kind. */
const kindIn = (entry: JsonObject): JsonObject => {
  const kind = membersOf(entry['responseKind']);
  return { group: textAt(kind, 'group'), version: textAt(kind, 'version'), kind: textAt(kind, 'kind') };
};

const texts = (entry: JsonObject, member: string): JsonObject =>
  itemsOf(entry[member]).length === 0 ? {} : { [member]: itemsOf(entry[member]).map(String) };

/** Converts a resource list to aggregated discovery, with subresources below their resources. Pure. */
export function aggregatedResources(
  resources: readonly JsonObject[],
  own: { readonly group: string; readonly version: string },
): JsonObject[] {
  const [main, below] = [
    resources.filter((each) => !textAt(each, 'name').includes('/')),
    resources.filter((each) => textAt(each, 'name').includes('/')),
  ];
  const kindOf = (entry: JsonObject): JsonObject => ({
    group: textAt(entry, 'group') || own.group,
    version: textAt(entry, 'version') || own.version,
    kind: textAt(entry, 'kind'),
  });
  return main.map((entry) => {
    const name = textAt(entry, 'name');
    const subresources = below
      .filter((each) => textAt(each, 'name').startsWith(`${name}/`))
      .map((each) => ({
        subresource: textAt(each, 'name').slice(name.length + 1),
        responseKind: kindOf(each),
        verbs: itemsOf(each['verbs']).map(String),
      }));
    return {
      resource: name,
      responseKind: kindOf(entry),
      scope: entry['namespaced'] === true ? 'Namespaced' : 'Cluster',
      singularResource: textAt(entry, 'singularName'),
      verbs: itemsOf(entry['verbs']).map(String),
      ...texts(entry, 'shortNames'),
      ...texts(entry, 'categories'),
      ...(subresources.length === 0 ? {} : { subresources }),
    };
  });
}
