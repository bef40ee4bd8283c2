import type { ApiObject } from '../../api/object.js';
import { sameValue } from '../../api/json/equality.js';

/** The garbage collector's changes grant nothing (`IsOnlyMutatingGCFields`). */
export function onlyBookkeepingChanged(object: ApiObject, old: ApiObject): boolean {
  const content = ({
    kind: _kind,
    apiVersion: _version,
    metadata: { ownerReferences: _owners, finalizers: _finalizers, managedFields: _fields, resourceVersion: _rv, ...metadata },
    ...rest
  }: ApiObject): object => ({ ...rest, metadata });
  return sameValue(content(object), content(old));
}
