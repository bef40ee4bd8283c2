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

/** A statement about an API service. */
export interface APIServiceCondition {
  /** What the statement is; Available is the only one. */
  readonly type: string;
  /** True, False or Unknown. */
  readonly status: string;
  /** When the condition last changed. */
  readonly lastTransitionTime?: metaV1.Time | null;
  /** Why, in one word for programs. */
  readonly reason?: string;
  /** Why, for people. */
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

/** Who serves a group version, and how it is reached. */
export interface APIServiceSpec {
  /** Service in front of the server; none where this server serves it itself. */
  readonly service?: ServiceReference;
  /** The group. */
  readonly group?: string;
  /** The version. */
  readonly version?: string;
  /** Do not verify the certificate of the server. */
  readonly insecureSkipTLSVerify?: boolean;
  /** Certificates of the authority that its certificate must come from. */
  readonly caBundle?: string;
  /** Priority of the group; higher ones come first. */
  readonly groupPriorityMinimum: number;
  /** Priority of the version in its group; higher ones come first. */
  readonly versionPriority: number;
}

/** Whether a group version can be reached. | */
export interface APIServiceStatus {
  /** Statements about the present state. */
  readonly conditions?: readonly APIServiceCondition[];
}

/** A service in front of an API server. */
export interface ServiceReference {
  /** Namespace of the service. */
  readonly namespace?: string;
  /** Name of the service. */
  readonly name?: string;
  /** Port of the service; 443 if not given. */
  readonly port?: number;
}

export const apiServices: Resource<APIService> = { group: 'apiregistration.k8s.io', version: 'v1', resource: 'apiservices', kind: 'APIService', namespaced: false };
