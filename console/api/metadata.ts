import type { ApiObject } from '../model/objects.js';
import type { ApiClient } from './client.js';
import { pathOf, type Resource } from './resources.js';

/** Concurrent requests while many resources are read. */
const readersMax = 6;
const metadataOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

interface Reading {
  /** Empty for all namespaces. */
  readonly namespace: string;
  /** Objects of each resource; 0 for all. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  /** Called for each list. Objects have their resource's apiVersion and kind. */
  readonly take: (resource: Resource, objects: readonly ApiObject[]) => void;
}

/** Reads the metadata of all objects of some resources. Omits forbidden ones; never rejects. */
export async function readMetadata(client: ApiClient, resources: readonly Resource[], reading: Reading): Promise<void> {
  const { namespace, limit, signal, take } = reading;
  const waiting = [...resources];
  const reader = async (): Promise<void> => {
    for (let resource = waiting.pop(); resource !== undefined && signal?.aborted !== true; resource = waiting.pop()) {
      const { group, version, kind } = resource;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const path = `${pathOf(resource, namespace)}${limit > 0 ? `?limit=${limit}` : ''}`;
      const list = await client
        .json<{ readonly items?: readonly ApiObject[] }>(path, { accept: metadataOnly, signal })
        .catch(() => ({ items: [] }));
      take(
        resource,
        (list.items ?? []).map((item) => ({ ...item, apiVersion, kind })),
      );
    }
  };
  await Promise.all(Array.from({ length: readersMax }, reader));
}
