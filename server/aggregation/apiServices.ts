import type { ApiObject } from '../../api/object.js';
import { objectAt, objectsIn } from '../../api/json/defaulting.js';
import { textAt } from '../../api/json/members.js';
import type { RegisteredVersion } from '../discovery/listedGroups.js';
import type { Storage } from '../storage/contract.js';
import { follow, type Following } from '../storage/follow.js';
import type { Availability } from './availability.js';

export const apiServicesResource = { group: 'apiregistration.k8s.io', resource: 'apiservices' } as const;
const portDefault = 443;

export interface ApiService extends RegisteredVersion {
  readonly target: { readonly namespace: string; readonly name: string; readonly port: number } | null;
  /** Certificate authorities in PEM; empty for the system's. */
  readonly ca: string;
  /** Every certificate is accepted. */
  readonly trusting: boolean;
  readonly availability: Availability | null;
}

function readApiService(object: ApiObject): ApiService {
  const spec = objectAt(object, 'spec') ?? {};
  const service = objectAt(spec, 'service');
  const condition = objectsIn(objectAt(object, 'status') ?? {}, 'conditions').find((each) => each['type'] === 'Available');
  return {
    name: object.metadata.name ?? '',
    group: textAt(spec, 'group'),
    version: textAt(spec, 'version'),
    groupPriority: Number(spec['groupPriorityMinimum'] ?? 0),
    versionPriority: Number(spec['versionPriority'] ?? 0),
    target:
      service === null
        ? null
        : { namespace: textAt(service, 'namespace'), name: textAt(service, 'name'), port: Number(service['port'] ?? portDefault) },
    ca: Buffer.from(textAt(spec, 'caBundle'), 'base64').toString('utf8'),
    trusting: spec['insecureSkipTLSVerify'] === true,
    availability:
      condition === undefined
        ? null
        : {
            status: condition['status'] === 'True' ? 'True' : 'False',
            reason: textAt(condition, 'reason'),
            message: textAt(condition, 'message'),
          },
  };
}

export class ApiServices {
  readonly #byName = new Map<string, ApiService>();
  readonly #remoteNames = new Set<string>();
  readonly #following: Following;
  readonly #listeners = new Set<(name: string) => void>();

  constructor(storage: Pick<Storage, 'watch'>) {
    const changed = (name: string): void => {
      for (const listener of this.#listeners) listener(name);
    };
    this.#following = follow(storage, apiServicesResource, {
      put: (object) => {
        this.#set(object.name, readApiService(object.decode()));
        changed(object.name);
      },
      remove: (_namespace, name) => {
        this.#set(name, null);
        changed(name);
      },
    });
  }

  #set(name: string, service: ApiService | null): void {
    if (service === null) this.#byName.delete(name);
    else this.#byName.set(name, service);
    if (service === null || service.target === null) this.#remoteNames.delete(name);
    else this.#remoteNames.add(name);
  }

  /** False on most servers, whose requests need no further check. */
  get hasRemote(): boolean {
    return this.#remoteNames.size > 0;
  }

  get synced(): Promise<void> {
    return this.#following.synced;
  }

  get(name: string): ApiService | null {
    return this.#byName.get(name) ?? null;
  }

  all(): readonly ApiService[] {
    return [...this.#byName.values()];
  }

  /** Returns the extension server's API service for a group version, or null. */
  remote(group: string, version: string): ApiService | null {
    const found = this.#byName.get(`${version}.${group}`);
    return found === undefined || found.target === null ? null : found;
  }

  onChange(listener: (name: string) => void): void {
    this.#listeners.add(listener);
  }

  stop(): void {
    this.#following.stop();
  }
}
