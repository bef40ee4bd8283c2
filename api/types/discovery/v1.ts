// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as coreV1 from '../core/v1.js';
import type * as metaV1 from '../meta/v1.js';

/** One place behind a service. */
export interface Endpoint {
  /** Its addresses, of which clients use the first. */
  readonly addresses?: readonly string[] | null;
  /** Statements about the present state. */
  readonly conditions?: EndpointConditions;
  /** Host name in the service's domain. */
  readonly hostname?: string;
  /** The object that has the addresses. */
  readonly targetRef?: coreV1.ObjectReference;
  /** Labels of the node, as older versions had them. */
  readonly deprecatedTopology?: Readonly<Record<string, string>>;
  /** Name of the node. */
  readonly nodeName?: string;
  /** Zone of the node. */
  readonly zone?: string;
  /** From where it should be used. */
  readonly hints?: EndpointHints;
}

/** Whether an endpoint can be used. */
export interface EndpointConditions {
  /** Whether it takes new connections; unknown counts as yes. */
  readonly ready?: boolean;
  /** Whether it answers, even while it goes away. */
  readonly serving?: boolean;
  /** Whether it goes away. */
  readonly terminating?: boolean;
}

/** From where an endpoint should be used. */
export interface EndpointHints {
  /** From which zones. */
  readonly forZones?: readonly ForZone[];
  /** From which nodes. */
  readonly forNodes?: readonly ForNode[];
}

/** A port of all endpoints of a slice. */
export interface EndpointPort {
  /** Name of the port in the service. */
  readonly name?: string;
  /** TCP, UDP or SCTP; TCP if not given. */
  readonly protocol?: string;
  /** Number of the port; none stands for all. */
  readonly port?: number;
  /** What is spoken on top, such as http or kubernetes.io/h2c. */
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
  /** The endpoints, at most 1000. */
  readonly endpoints?: readonly Endpoint[] | null;
  /** The ports, at most 100. */
  readonly ports?: readonly EndpointPort[] | null;
  /** IPv4, IPv6 or FQDN. Cannot be changed. */
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

/** A node from which an endpoint should be used. */
export interface ForNode {
  /** Name of the node. */
  readonly name: string;
}

/** A zone from which an endpoint should be used. */
export interface ForZone {
  /** Name of the zone. */
  readonly name: string;
}

export const endpointSlices: Resource<EndpointSlice> = { group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices', kind: 'EndpointSlice', namespaced: true };
