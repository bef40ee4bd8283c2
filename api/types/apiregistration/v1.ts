// Generated from api/facts by `npm run generate`: change it there.
import type { Resource } from '../../meta/resource.js';
import type * as metaV1 from '../meta/v1.js';

/** Says which server answers for a version of a group: this one, or an extension server behind a service. */
export interface APIService {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ObjectMeta;
  /** What is wanted. */
  readonly spec?: APIServiceSpec;
  /** What is known of the present state. Written by the system. */
  readonly status?: APIServiceStatus;
}

export interface APIServiceCondition {
  readonly type: string;
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  readonly reason?: string;
  readonly message?: string;
}

export interface APIServiceList {
  /** APIVersion defines in which group and version this object is written, such as apps/v1. */
  readonly apiVersion?: string;
  /** Kind is the type of this object. It cannot be changed. */
  readonly kind?: string;
  /** Name, labels, and what else all objects have. */
  readonly metadata: metaV1.ListMeta;
  /** The objects of the list. */
  readonly items?: readonly APIService[] | null;
}

export interface APIServiceSpec {
  readonly service?: ServiceReference;
  readonly group?: string;
  readonly version?: string;
  readonly insecureSkipTLSVerify?: boolean;
  readonly caBundle?: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

export interface APIServiceStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly APIServiceCondition[];
}

export interface ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly port?: number;
}

export const apiServices: Resource<APIService> = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices', kind: 'APIService', namespaced: false };
