import type { ApiObject, JsonObject } from '../../../api/object.js';
import type { GroupResource } from '../../../api/resource.js';

/** kube-apiserver still stores CustomResourceDefinitions as v1beta1, with members common to all versions outside of `versions`. */
export const keptVersion = 'apiextensions.k8s.io/v1beta1';
export const servedVersion = 'apiextensions.k8s.io/v1';

export const isDefinition = ({ group, resource }: GroupResource): boolean =>
  group === 'apiextensions.k8s.io' && resource === 'customresourcedefinitions';

const objectsOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? (value as readonly JsonObject[]) : []);
const membersOf = (value: unknown): JsonObject => (typeof value === 'object' && value !== null ? (value as JsonObject) : {});

const shared = [
  ['schema', 'validation'],
  ['subresources', 'subresources'],
  ['additionalPrinterColumns', 'additionalPrinterColumns'],
] as const;

const specOrder = [
  'group',
  'version',
  'names',
  'scope',
  'validation',
  'subresources',
  'versions',
  'additionalPrinterColumns',
  'selectableFields',
  'conversion',
  'preserveUnknownFields',
];

export function toKept(definition: ApiObject): ApiObject {
  const spec = membersOf(definition['spec']);
  const versions = objectsOf(spec['versions']).map((version) => withColumns(version, 'jsonPath', 'JSONPath'));
  const common: Record<string, unknown> = {};
  let kept = versions;
  for (const [member, name] of [...shared, ['selectableFields', 'selectableFields'] as const]) {
    const first = versions[0]?.[member];
    if (first === undefined || !versions.every((version) => JSON.stringify(version[member]) === JSON.stringify(first))) continue;
    common[name] = first;
    kept = kept.map((version) => without(version, member));
  }
  const conversion = conversionToKept(spec['conversion']);
  const all: Record<string, unknown> = {
    ...spec,
    ...common,
    ...(versions[0] === undefined ? {} : { version: versions[0]['name'] }),
    versions: kept,
    ...(conversion === undefined ? {} : { conversion }),
    preserveUnknownFields: spec['preserveUnknownFields'] ?? false,
  };
  return { ...definition, apiVersion: keptVersion, spec: inOrder(all, specOrder) as JsonObject } as ApiObject;
}

/** Applies v1beta1's defaults (`v1beta1/defaults.go` of apiextensions-apiserver): unlike in v1, definitions preserve unknown fields. */
export function toServed(definition: ApiObject): ApiObject {
  const spec = membersOf(definition['spec']);
  const { version, validation, subresources, additionalPrinterColumns, selectableFields, conversion, preserveUnknownFields, ...rest } =
    spec;
  const listed = objectsOf(spec['versions']);
  const versions = (
    listed.length === 0 && version !== undefined ? [{ name: version, served: true, storage: true } as JsonObject] : listed
  ).map((each) =>
    withColumns(
      {
        ...each,
        ...only('schema', each['schema'] ?? validation),
        ...only('subresources', each['subresources'] ?? subresources),
        ...only('additionalPrinterColumns', each['additionalPrinterColumns'] ?? additionalPrinterColumns),
        ...only('selectableFields', each['selectableFields'] ?? selectableFields),
      },
      'JSONPath',
      'jsonPath',
    ),
  );
  const converted = conversionToServed(conversion);
  return {
    ...definition,
    apiVersion: servedVersion,
    spec: {
      ...rest,
      versions,
      ...(converted === undefined ? {} : { conversion: converted }),
      ...((preserveUnknownFields ?? true) === true ? { preserveUnknownFields: true } : {}),
    },
  } as ApiObject;
}

const only = (name: string, value: unknown): JsonObject => (value === undefined || value === null ? {} : ({ [name]: value } as JsonObject));

function without(object: JsonObject, name: string): JsonObject {
  const { [name]: _gone, ...rest } = object;
  return rest;
}

function withColumns(version: JsonObject, from: string, to: string): JsonObject {
  const columns = version['additionalPrinterColumns'];
  if (!Array.isArray(columns)) return version;
  const renamed = (column: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(column).map(([name, value]) => [name === from ? to : name, value]));
  return { ...version, additionalPrinterColumns: objectsOf(columns).map(renamed) } as JsonObject;
}

function conversionToKept(conversion: unknown): JsonObject | undefined {
  if (typeof conversion !== 'object' || conversion === null) return undefined;
  const { webhook, ...rest } = conversion as JsonObject;
  const { clientConfig, conversionReviewVersions } = membersOf(webhook);
  return {
    ...rest,
    ...only('webhookClientConfig', clientConfig),
    ...only('conversionReviewVersions', conversionReviewVersions),
  };
}

function conversionToServed(conversion: unknown): JsonObject | undefined {
  if (typeof conversion !== 'object' || conversion === null) return undefined;
  const { webhookClientConfig, conversionReviewVersions, ...rest } = conversion as JsonObject;
  if (webhookClientConfig === undefined && conversionReviewVersions === undefined) return rest;
  return {
    ...rest,
    webhook: { ...only('clientConfig', webhookClientConfig), ...only('conversionReviewVersions', conversionReviewVersions ?? ['v1beta1']) },
  } as JsonObject;
}

export function inOrder(object: Readonly<Record<string, unknown>>, order: readonly string[]): Record<string, unknown> {
  const known = order.filter((name) => object[name] !== undefined).map((name) => [name, object[name]]);
  const others = Object.entries(object).filter(([name]) => !order.includes(name));
  return Object.fromEntries([...known, ...others]) as Record<string, unknown>;
}
