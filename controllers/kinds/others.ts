import type { Condition, KubeObject } from '../client/object.js';
import { resource } from '../client/resource.js';
import type { LabelSelector } from '../client/selectors.js';
import type { EndpointPort, IntOrString, ObjectRef } from './core.js';

/** Kinds of the smaller groups: the members that controllers read. */

export interface EndpointConditions { readonly ready?: boolean; readonly serving?: boolean; readonly terminating?: boolean }
export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions;
  readonly hostname?: string;
  readonly targetRef?: ObjectRef;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly hints?: { readonly forZones?: readonly { readonly name: string }[]; readonly forNodes?: readonly { readonly name: string }[] };
}
export interface EndpointSlice extends KubeObject {
  readonly addressType: string;
  readonly endpoints: readonly Endpoint[] | null;
  readonly ports?: readonly Partial<EndpointPort>[] | null;
}
export const endpointSlices = resource<EndpointSlice>('discovery.k8s.io/v1', 'endpointslices', 'EndpointSlice');

export interface PodDisruptionBudget extends KubeObject {
  readonly spec?: { readonly minAvailable?: IntOrString; readonly maxUnavailable?: IntOrString; readonly selector?: LabelSelector };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly expectedPods?: number;
    readonly conditions?: readonly Condition[];
  };
}
export const podDisruptionBudgets = resource<PodDisruptionBudget>('policy/v1', 'poddisruptionbudgets', 'PodDisruptionBudget');

export interface PolicyRule { readonly verbs?: readonly string[]; readonly [member: string]: unknown }
export interface ClusterRole extends KubeObject { readonly rules?: readonly PolicyRule[] | null; readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] } }
export const clusterRoles = resource<ClusterRole>('rbac.authorization.k8s.io/v1', 'clusterroles', 'ClusterRole', 'cluster');

export interface Scale extends KubeObject { readonly spec?: { readonly replicas?: number } }
