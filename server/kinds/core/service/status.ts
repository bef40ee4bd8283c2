import type * as v1 from '../../../../api/types/core/v1.js';
import {
  byDefault,
  dnsSubdomain,
  each,
  forbidden,
  forbiddenAs,
  ifOwner,
  ipAddress,
  members,
  nonZero,
  notAddress,
  objectRules,
  oneOf,
  specOf,
  type Draft,
  type Rule,
  type Writable,
} from '../../language.js';
import { isLoadBalancer } from './kinds.js';

const ingress = members<v1.LoadBalancerIngress>({
  ip: nonZero(ipAddress),
  ipMode: ifOwner(
    ({ ip }: Writable<v1.LoadBalancerIngress>) => (ip ?? '') !== '',
    byDefault('VIP', oneOf('Proxy', 'VIP')),
    forbiddenAs('may not be specified when `ip` is not set'),
  ),
  hostname: nonZero(dnsSubdomain, notAddress),
});

const reportOf = (entries: Rule<Writable<v1.LoadBalancerStatus['ingress']>>): Rule<Writable<v1.ServiceStatus> | undefined> =>
  members<v1.ServiceStatus>({ loadBalancer: members<v1.LoadBalancerStatus>({ ingress: entries }) });

export const validateStatus = objectRules<v1.Service>({
  status: ifOwner(
    (service: Draft<v1.Service>) => isLoadBalancer(specOf(service)),
    reportOf(each(ingress)),
    reportOf(nonZero((_, path) => [forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")])),
  ),
});
