// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as metaV1 from '../meta/v1.js';

export interface Endpoint {
  readonly addresses?: readonly string[] | null;
  /** Statements about the present state. */
  readonly conditions?: EndpointConditions;
  readonly hostname?: string;
  readonly targetRef?: coreV1.ObjectReference;
  readonly deprecatedTopology?: Readonly<Record<string, string>>;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly hints?: EndpointHints;
}

export interface EndpointConditions {
  readonly ready?: boolean;
  readonly serving?: boolean;
  readonly terminating?: boolean;
}

export interface EndpointHints {
  readonly forZones?: readonly ForZone[];
  readonly forNodes?: readonly ForNode[];
}

export interface EndpointPort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: number;
  readonly appProtocol?: string;
}

/** Some of the addresses behind a service; a service may have several slices. */
export interface EndpointSlice {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  readonly endpoints?: readonly Endpoint[] | null;
  readonly ports?: readonly EndpointPort[] | null;
  readonly addressType: string;
}

export interface EndpointSliceList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly EndpointSlice[] | null;
}

export interface ForNode {
  readonly name: string;
}

export interface ForZone {
  readonly name: string;
}

export const endpointSlices: Resource<EndpointSlice> = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', kind: 'EndpointSlice', namespaced: true };
