import type { LoadBalancerStatus, Node, NodeAddress, Service } from '../../api/types/core/v1.js';

/** A cloud's interface for its controllers, passed to `startControllerManager` of `raftplane/controllers`; none is built in. */
export interface CloudProvider {
  readonly loadBalancers?: LoadBalancers;
  readonly routes?: Routes;
  readonly instances?: Instances;
}

export interface LoadBalancers {
  /** Reconciles a service's balancer and returns its address. Safe to repeat. */
  ensure(service: Service, hosts: readonly Node[]): Promise<LoadBalancerStatus>;
  setHosts(service: Service, hosts: readonly Node[]): Promise<void>;
  /** Succeeds without one, too. */
  remove(service: Service): Promise<void>;
}

export interface Route {
  readonly node: string;
  readonly range: string;
}
export interface Routes {
  list(cluster: string): Promise<readonly Route[]>;
  create(cluster: string, route: Route): Promise<void>;
  remove(cluster: string, route: Route): Promise<void>;
}

export interface Instances {
  exists(node: Node): Promise<boolean>;
  isShutDown(node: Node): Promise<boolean>;
  /** Returns the cloud's facts about a node's machine; null for an unknown one. Without this function nodes are not initialised. */
  describe?(node: Node): Promise<Machine | null>;
}

export interface Machine {
  /** `CLOUD://ID`. */
  readonly providerId: string;
  readonly addresses: readonly NodeAddress[];
  readonly instanceType?: string;
  readonly zone?: string;
  readonly region?: string;
}
