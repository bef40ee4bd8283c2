import type { ApiObject } from '../../../api/object.js';
import { textAt } from '../../../api/json/members.js';
import type { StoredObject } from '../../storage/contract.js';
import { mayChangeReferences, podReferences, volumeReferences, type ObjectKey } from './references.js';

export type StoredPod = Pick<StoredObject, 'namespace' | 'name' | 'uid' | 'fields' | 'item' | 'decode'>;

interface PodEntry {
  readonly node: string;
  readonly uid: string;
  readonly changeable: boolean;
  readonly keys: ReadonlySet<ObjectKey>;
}
type VolumeEntry = NonNullable<ReturnType<typeof volumeReferences>>;

/**
 * The objects that concern a node:
 *
 *     secret, configmap, service account, claim of devices ◀── pod ──▶ node
 *     secret ◀── volume ──▶ claim of storage ◀── pod
 *     attachment ──▶ node      slice of devices ──▶ node      request for a pod's certificate ──▶ node
 */
export class NodeGraph {
  readonly #pods = new Map<string, PodEntry>();
  /** Nodes that may read each object, with the number of their referring pods. */
  readonly #nodesOf = new Map<ObjectKey, Map<string, number>>();
  readonly #volumes = new Map<string, VolumeEntry>();
  readonly #volumesOfSecret = new Map<ObjectKey, Set<string>>();
  readonly #attached = new Map<string, string>();
  readonly #slices = new Map<string, string>();
  readonly #podCertificateRequests = new Map<string, string>();

  putPod(pod: StoredPod): void {
    const { namespace, name, uid } = pod;
    const node = pod.fields['spec.nodeName'] ?? '';
    const changeable = mayChangeReferences(pod.item);
    const known = this.#pods.get(`${namespace}/${name}`);
    if (known?.node === node && known.uid === uid && !known.changeable && !changeable) return;
    this.removePod(namespace, name);
    if (node === '') return;
    const keys = podReferences(pod.decode());
    this.#pods.set(`${namespace}/${name}`, { node, uid, changeable, keys });
    for (const key of keys) {
      let nodes = this.#nodesOf.get(key);
      if (nodes === undefined) this.#nodesOf.set(key, (nodes = new Map<string, number>()));
      nodes.set(node, (nodes.get(node) ?? 0) + 1);
    }
  }

  removePod(namespace: string, name: string): void {
    const entry = this.#pods.get(`${namespace}/${name}`);
    if (entry === undefined) return;
    this.#pods.delete(`${namespace}/${name}`);
    for (const key of entry.keys) {
      const nodes = this.#nodesOf.get(key);
      const left = (nodes?.get(entry.node) ?? 1) - 1;
      if (left > 0) nodes?.set(entry.node, left);
      else nodes?.delete(entry.node);
      if (nodes?.size === 0) this.#nodesOf.delete(key);
    }
  }

  putVolume(name: string, volume: ApiObject): void {
    this.removeVolume(name);
    const entry = volumeReferences(volume);
    if (entry === null) return;
    this.#volumes.set(name, entry);
    for (const secret of entry.secrets) {
      const names = this.#volumesOfSecret.get(secret);
      if (names === undefined) this.#volumesOfSecret.set(secret, new Set([name]));
      else names.add(name);
    }
  }

  removeVolume(name: string): void {
    for (const secret of this.#volumes.get(name)?.secrets ?? []) {
      const names = this.#volumesOfSecret.get(secret);
      names?.delete(name);
      if (names?.size === 0) this.#volumesOfSecret.delete(secret);
    }
    this.#volumes.delete(name);
  }

  putAttachment(name: string, attachment: ApiObject): void {
    this.#attached.set(name, textAt(attachment, 'spec', 'nodeName'));
  }

  removeAttachment(name: string): void {
    this.#attached.delete(name);
  }

  putSlice(name: string, slice: ApiObject): void {
    this.#slices.set(name, textAt(slice, 'spec', 'nodeName'));
  }

  removeSlice(name: string): void {
    this.#slices.delete(name);
  }

  putPodCertificateRequest(namespace: string, name: string, request: ApiObject): void {
    this.#podCertificateRequests.set(`${namespace}/${name}`, textAt(request, 'spec', 'nodeName'));
  }

  removePodCertificateRequest(namespace: string, name: string): void {
    this.#podCertificateRequests.delete(`${namespace}/${name}`);
  }

  /** Returns whether a pod on the node refers to the object, directly or through a volume. */
  readsObject(node: string, key: ObjectKey): boolean {
    if (this.#nodesOf.get(key)?.has(node) === true) return true;
    for (const name of this.#volumesOfSecret.get(key) ?? []) if (this.readsVolume(node, name)) return true;
    return false;
  }

  readsVolume(node: string, name: string): boolean {
    const volume = this.#volumes.get(name);
    return volume !== undefined && this.#nodesOf.get(volume.claim)?.has(node) === true;
  }

  hasAttachment(node: string, name: string): boolean {
    return this.#attached.get(name) === node;
  }

  hasSlice(node: string, name: string): boolean {
    return this.#slices.get(name) === node;
  }

  hasPodCertificateRequest(node: string, { namespace, name }: { readonly namespace: string; readonly name: string }): boolean {
    return this.#podCertificateRequests.get(`${namespace}/${name}`) === node;
  }
}
