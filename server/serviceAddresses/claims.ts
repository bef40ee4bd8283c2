import type { ApiObject } from '../../api/object.js';
import type * as v1 from '../../api/types/core/v1.js';
import type { GroupResource } from '../../api/resource.js';
import type { ObjectKey, SideWrite } from '../storage/contract.js';
import { formatAddress, parseAddress, parseOldAddress } from '../registry/validation/addresses.js';
import type { AllocationContext } from '../registry/allocation.js';
import {
  clusterIPsOf,
  isHeadless,
  needsClusterIP,
  needsHealthCheckPort,
  nodePortsOf,
  opensNodePorts,
} from '../kinds/core/service/kinds.js';
import type { Draft } from '../kinds/kind.js';
import { specOf } from '../kinds/parts.js';

/**
 * Unique values of a service. An IPAddress, visible to clients, claims an address; for claims of node ports, which have no kind in the API, see
 * `portRecord.ts`. Claims follow from the service alone: a write takes and releases the difference of two states.
 */
export const addresses: GroupResource = { group: 'networking.k8s.io', resource: 'ipaddresses' };
export const nodePorts: GroupResource = { group: '', resource: 'nodeports' };

export interface Claim {
  readonly resource: GroupResource;
  readonly name: string;
}

export const claimKey = ({ resource, name }: Claim): ObjectKey => ({ resource, namespace: '', name });
/** Accepts any spelling of the address. */
export function addressClaim(text: string): Claim {
  const address = parseOldAddress(text);
  return { resource: addresses, name: address === null ? text : formatAddress(address) };
}
export const portClaim = (port: number): Claim => ({ resource: nodePorts, name: String(port) });

/** A port shared by several protocols is claimed once. */
export function claimsOf(service: Draft<v1.Service>): Claim[] {
  const spec = specOf(service);
  const addresses = needsClusterIP(spec) && !isHeadless(spec) ? clusterIPsOf(spec) : [];
  const ports = opensNodePorts(spec) ? nodePortsOf(spec) : [];
  if (needsHealthCheckPort(spec)) ports.push(spec.healthCheckNodePort ?? 0);
  return [...addresses.map(addressClaim), ...[...new Set(ports)].filter((port) => port !== 0).map(portClaim)];
}

const nameOf = ({ resource, name }: Claim): string => `${resource.resource}/${name}`;

export function claimsBeyond(a: readonly Claim[], b: readonly Claim[]): Claim[] {
  const known = new Set(b.map(nameOf));
  return a.filter((claim) => !known.has(nameOf(claim)));
}

export const giveBack = (claims: readonly Claim[]): SideWrite[] => claims.map((claim) => ({ action: 'remove', key: claimKey(claim) }));

export const take = (claims: readonly Claim[], service: ApiObject, context: Pick<AllocationContext, 'now' | 'newUid'>): SideWrite[] =>
  claims.map((claim) => ({ action: 'create', key: claimKey(claim), object: claimObject(claim, service, context) }));

/** Shows clients the maker of an address, as of other objects. */
const ownerOfAddress = {
  manager: 'kube-apiserver',
  operation: 'Update',
  apiVersion: 'networking.k8s.io/v1',
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:metadata': { 'f:labels': { '.': {}, 'f:ipaddress.kubernetes.io/ip-family': {}, 'f:ipaddress.kubernetes.io/managed-by': {} } },
    'f:spec': { 'f:parentRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:resource': {} } },
  },
};

function claimObject({ resource, name }: Claim, service: ApiObject, { now, newUid }: Pick<AllocationContext, 'now' | 'newUid'>): ApiObject {
  const { name: owner = '', namespace = '' } = service.metadata;
  const parentRef = { resource: 'services', namespace, name: owner };
  const metadata = { name, uid: newUid(), creationTimestamp: now };
  if (resource === nodePorts) return { apiVersion: 'v1', metadata, spec: { parentRef } };
  const labels = {
    'ipaddress.kubernetes.io/ip-family': parseAddress(name)?.family ?? 'IPv4',
    'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  };
  const managedFields = [{ ...ownerOfAddress, time: now }];
  return { apiVersion: 'networking.k8s.io/v1', metadata: { ...metadata, labels, managedFields }, spec: { parentRef } };
}
