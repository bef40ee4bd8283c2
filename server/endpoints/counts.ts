import type { GroupResource, GroupVersion } from '../../api/resource.js';
import type { ExpiryReason, WatchEnd } from '../storage/watchEnds.js';

export interface WatchCount {
  sent(bytes: number): void;
  /** All requested initial objects have been sent. */
  listed(scope: WatchScope, seconds: number): void;
  ended(why: WatchEnd): void;
}

/** One object, a namespace, or all. */
export type WatchScope = 'resource' | 'namespace' | 'cluster';

export interface EndpointCounts {
  deprecated(resource: GroupVersion & GroupResource, subresource: string, removedRelease: string): void;
  watch(resource: GroupVersion & GroupResource): WatchCount;
  /** A list was refused because its version is no longer available. */
  expiredList(why: ExpiryReason): void;
  /** `trusting`: the agent's certificate is not checked. */
  log(trusting: boolean): void;
  /** A log was refused because the agent's certificate is invalid. */
  untrustedLog(): void;
  webSocket(subresource: string): void;
}

const nothing = (): void => undefined;
export const noCounts: EndpointCounts = {
  deprecated: nothing,
  watch: () => ({ sent: nothing, listed: nothing, ended: nothing }),
  expiredList: nothing,
  log: nothing,
  untrustedLog: nothing,
  webSocket: nothing,
};
