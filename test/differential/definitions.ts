import type { JsonObject } from '../../api/object.js';
import type { Step } from '../golden/recordings.js';

/** The custom resource definitions of a case, with an own group and the kind `Widget`. */

const group = '${r}.example.com';
export const collection = (version = 'v1'): string => `/apis/${group}/${version}/namespaces/\${ns}/widgets`;

/** The limit until a definition's resources are served; usually far less. */
const servedWithinSeconds = 5;

export interface Version {
  readonly name: string;
  readonly schema: JsonObject;
  readonly more?: JsonObject;
}

/** A definition with these versions; the first is stored. */
export const definition = (versions: readonly Version[], more: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    ...more,
    versions: versions.map(({ name, schema, more: further = {} }, index) => ({
      name,
      served: true,
      storage: index === 0,
      schema: { openAPIV3Schema: schema },
      ...further,
    })),
  },
});

/** Creates a definition and waits until it is served. */
export const defined = (body: JsonObject, version = 'v1'): readonly Step[] => [
  { do: 'POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions', body },
  { eventually: `GET ${collection(version)}`, within: servedWithinSeconds, where: { status: 200 } },
];

/** A custom object of a version. */
export const widget = (members: JsonObject, version = 'v1', name = 'a'): JsonObject => ({
  apiVersion: `${group}/${version}`,
  kind: 'Widget',
  ...members,
  metadata: { ...(members['metadata'] as JsonObject | undefined), name },
});
