import { internalError } from '../../../api/status.js';
import { convertBuiltIn, type ConvertObject } from '../../admission/matching/versions.js';
import type { CustomResources } from '../definitions.js';

/** Converts for admission, where webhooks and policies may match other versions. */
export const convertAny =
  (
    custom: Pick<CustomResources, 'typeOf'>,
    isBuiltIn: (resource: { readonly group: string; readonly resource: string }) => boolean,
  ): ConvertObject =>
  async (resource, object, from, to) => {
    if (from === to) return object;
    if (isBuiltIn(resource.storage)) return convertBuiltIn(resource, object, from, to);
    const type = custom.typeOf(resource.storage);
    if (type === null) throw internalError(new Error(`${resource.resource}.${resource.group} is not defined any more`));
    if (type.converter === null) return object;
    const [converted] = await type.converter.convert([{ ...object, apiVersion: from, kind: resource.kind }], to);
    if (converted === undefined) throw internalError(new Error(`conversion of ${resource.kind} to ${to} returned nothing`));
    const { kind: _kind, apiVersion: _apiVersion, ...content } = converted;
    return { ...content, metadata: converted.metadata };
  };
