import { apiVersionOf, pathOf, type Resource } from '../api/meta/resource.js';
import type { KubeObject } from '../api/meta/object.js';
import type { Controller } from './client/controller.js';
import { pause } from './client/clock.js';
import { isNotFound, messageOf, unless } from './client/errors.js';
import type { ManagerEnvironment } from './environment.js';

const retryMs = 1_000;

interface ResourceList {
  readonly resources?: readonly { readonly name: string }[];
}

/** Returns whether the server has a type; retries until it answers. */
async function isServed({ watchApi, clock, log }: ManagerEnvironment, type: Resource, signal: AbortSignal): Promise<boolean> {
  const path = pathOf({ ...type, resource: '' }).replace(/\/$/, '');
  while (!signal.aborted) {
    try {
      const list = await unless(isNotFound, watchApi.read<ResourceList>(path));
      return list?.resources?.some(({ name }) => name === type.resource) ?? false;
    } catch (error) {
      log('error', `cannot ask for ${apiVersionOf(type)}: ${messageOf(error)}`);
      await pause(clock, retryMs, signal);
    }
  }
  return false;
}

/** Returns the first served version of a type; null where there is none, or the signal aborts first. */
export async function typeServed<T extends KubeObject>(
  environment: ManagerEnvironment,
  versions: readonly Resource<T>[],
  signal: AbortSignal,
): Promise<Resource<T> | null> {
  for (const type of versions) if (await isServed(environment, type, signal)) return type;
  return null;
}

/**
 * Makes a controller of an API that is off by default. It uses the first served version, or else waits for the end: served types do not change while a server
 * runs.
 */
export function whereServed<T extends KubeObject>(
  environment: ManagerEnvironment,
  name: string,
  versions: readonly Resource<T>[],
  make: (type: Resource<T>) => Controller | null,
): Controller {
  return {
    name,
    async run(signal) {
      const type = await typeServed(environment, versions, signal);
      if (type) {
        await make(type)?.run(signal);
        return;
      }
      if (!signal.aborted) environment.log('info', `${name}: nothing to do, as the server does not have ${versions[0]?.resource ?? ''}`);
      if (!signal.aborted) await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    },
  };
}
