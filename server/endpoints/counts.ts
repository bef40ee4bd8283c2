import type { GroupResource, GroupVersion } from '../api/resource.js';

/** Events of the watches of one resource. */
export interface WatchCount {
  sent(bytes: number): void;
}

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
  watch: () => ({ sent: nothing }),
  log: nothing,
  untrustedLog: nothing,
  webSocket: nothing,
};
