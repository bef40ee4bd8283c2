import type { ApiObject } from '../../fixtures/apiClient.js';
import type { ListedState } from '../checks/snapshots.js';

export interface Place {
  readonly namespace: string;
  readonly keys: readonly string[];
}

/** The last write of a round. */
export const last = 'last';

export const keysOf = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `k${index}`);

/** The value is stored twice to detect partial objects. */
export const objectOf = (name: string, value: string, resourceVersion?: string): object => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  data: { left: value, right: value, padding: 'x'.repeat(200) },
});

export const pathOf = ({ namespace }: Place): string => `/api/v1/namespaces/${namespace}/configmaps`;

export const versionOf = ({ metadata }: ApiObject): number => Number(metadata.resourceVersion);

/** The content of a list; `others` are the earlier pages. */
export function listedIn(client: string, what: string, list: ApiObject, others: readonly ApiObject[] = []): ListedState {
  const items = [...others, ...(list.items ?? [])].map(
    (item) => [item.metadata.name, { version: versionOf(item), value: item.data?.['left'] ?? '' }] as const,
  );
  return { client, what, version: versionOf(list), items: new Map(items) };
}
