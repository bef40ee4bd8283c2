import type { LoadBalancerStatus, Node, Service } from '../../api/types/core/v1.js';

/** What the controllers of a cloud ask of it. None is built in; who embeds the manager may bring one. */
export interface CloudProvider {
  readonly loadBalancers?: LoadBalancers;
  readonly routes?: Routes;
  readonly instances?: Instances;
}

export interface LoadBalancers {
  /** Makes the balancer of a service as it should be, and says where it is. Safe to repeat. */
  ensure(service: Service, hosts: readonly Node[]): Promise<LoadBalancerStatus>;
  setHosts(service: Service, hosts: readonly Node[]): Promise<void>;
  /** Also where there is none. */
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
}
