import { copyOf } from '../../../api/json/copy.js';
import type { ApiObject, JsonObject } from '../../../api/object.js';
import { apiVersionOf } from '../../../api/resource.js';
import { convertBetween } from '../../kinds/builtIn.js';
import { kindOf } from '../../kinds/index.js';
import { fromStorage, toStorage } from '../../registry/conversion.js';
import { storedForm } from '../../registry/metadata.js';
import type { ServedResource } from '../../registry/resources.js';
import type { AdmissionRequest, GroupVersionKind } from '../../registry/admission.js';

/**
 * Converts between API versions. The object has neither kind nor version and belongs to the callee; the result belongs to the caller. Rejects with a
 * StatusError.
 */
export type ConvertObject = (resource: ServedResource, object: ApiObject, from: string, to: string) => ApiObject | Promise<ApiObject>;

/** Converts types that every server has. */
export const convertBuiltIn: ConvertObject = ({ storage }, object, from, to) => convertBetween(kindOf(storage), from, to, object);

/** Copies one state of the object in the matching version of a webhook or policy, with kind and API version. */
export async function shownAs(
  kind: GroupVersionKind,
  state: ApiObject | null,
  request: AdmissionRequest,
  convert: ConvertObject,
): Promise<ApiObject | null> {
  if (state === null) return null;
  const { resource, form, operation } = request;
  const named = (object: ApiObject): ApiObject => {
    const { kind: _kind, apiVersion: _apiVersion, ...content } = object;
    return { kind: kind.kind, apiVersion: apiVersionOf(kind), ...content };
  };
  if (form?.view !== undefined) return named(form.view.show(fromStorage(resource, copyOf(state as JsonObject) as ApiObject)));
  if (operation === 'CONNECT') {
    const { metadata: _metadata, ...options } = copyOf(state as JsonObject) as ApiObject;
    return named(options as ApiObject);
  }
  const plain = storedForm(copyOf(state as JsonObject) as ApiObject, '');
  delete plain.apiVersion;
  return named(form === null ? await convert(resource, plain, apiVersionOf(resource.storage), apiVersionOf(kind)) : plain);
}

export async function putBack(kind: GroupVersionKind, shown: ApiObject, request: AdmissionRequest, convert: ConvertObject): Promise<void> {
  const { object, resource, form, operation } = request;
  if (object === null) throw new Error('broken invariant: there is no object to change');
  request.changing?.();
  const { kind: _kind, apiVersion: _apiVersion, ...content } = shown;
  const changed = content as ApiObject;
  if (form?.view !== undefined) {
    const served = fromStorage(resource, copyOf(object as JsonObject) as ApiObject);
    return replaceContent(object, toStorage(resource, form.view.put(served, { shown })));
  }
  if (form !== null) return replaceContent(object, operation === 'CONNECT' ? { ...changed, metadata: object.metadata } : changed);
  replaceContent(object, await convert(resource, changed, apiVersionOf(kind), apiVersionOf(resource.storage)));
}

function replaceContent(object: ApiObject, content: ApiObject): void {
  for (const member of Object.keys(object)) delete object[member];
  Object.assign(object, content);
}
