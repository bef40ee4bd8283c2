import type { GroupResource, GroupVersion } from '../../api/resource.js';

/** Events of the watches of one resource. */
export interface WatchCount {
  sent(bytes: number): void;
  /** All objects that there were at the beginning have been sent, as the client wanted. */
  listed(scope: WatchScope, seconds: number): void;
}

/** What a watch is about: one object, those of a namespace, or all. */
export type WatchScope = 'resource' | 'namespace' | 'cluster';

/** What is counted of single resources beside their requests. */
export interface EndpointCounts {
  /** Somebody has asked for a version that is deprecated. */
  deprecated(resource: GroupVersion & GroupResource, subresource: string): void;
  watch(resource: GroupVersion & GroupResource): WatchCount;
  /** A log of a pod is asked for. `trusting`: whatever the certificate of the node agent. */
  log(trusting: boolean): void;
  /** A log has not come because the certificate of the node agent is not good. */
  untrustedLog(): void;
  /** A WebSocket for a stream of a pod (`exec`, `attach`, `portforward`) is handed on. */
  webSocket(subresource: string): void;
}

const nothing = (): void => undefined;
export const noCounts: EndpointCounts = {
  deprecated: nothing,
  watch: () => ({ sent: nothing, listed: nothing }),
  log: nothing,
  untrustedLog: nothing,
  webSocket: nothing,
};
