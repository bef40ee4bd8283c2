import { apiVersionOf, type GroupResource, type GroupVersion } from '../../api/resource.js';
import type { Deprecation } from '../registry/behaviour.js';

/**
 * Since which minor version of release 1 versions are deprecated, or resources in them (`zz_generated.prerelease-lifecycle.go` of the reference): of those that
 * some release serves that can be emulated. Of a resource that is named the entry of the resource counts.
 */
const deprecated: Readonly<Record<string, number>> = {
  'admissionregistration.k8s.io/v1alpha1': 35,
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicies': 31,
  'admissionregistration.k8s.io/v1beta1/validatingadmissionpolicybindings': 31,
  'certificates.k8s.io/v1alpha1': 34,
  'coordination.k8s.io/v1alpha2': 35,
  'coordination.k8s.io/v1beta1': 36,
  'networking.k8s.io/v1beta1': 34,
  'resource.k8s.io/v1alpha3/devicetaintrules': 36,
  'resource.k8s.io/v1beta1': 35,
  'resource.k8s.io/v1beta2': 36,
  'resource.k8s.io/v1beta2/devicetaintrules': 39,
  'storage.k8s.io/v1alpha1/volumeattributesclasses': 32,
  'storage.k8s.io/v1beta1/volumeattributesclasses': 34,
};

const instead: Readonly<Record<string, string>> = {
  'storage.k8s.io/v1alpha1/volumeattributesclasses': 'storage.k8s.io/v1',
  'storage.k8s.io/v1beta1/volumeattributesclasses': 'storage.k8s.io/v1',
};

/** A deprecated version is removed after this many minor versions. */
const removedAfter = 3;

export function deprecationOf(type: GroupVersion & GroupResource & { readonly kind: string }, minor: number): Deprecation | null {
  const apiVersion = apiVersionOf(type);
  const resource = `${apiVersion}/${type.resource}`;
  const since = deprecated[resource] ?? deprecated[apiVersion] ?? Infinity;
  if (since > minor) return null;
  const removedRelease = `1.${since + removedAfter}`;
  const use = instead[resource] === undefined ? '' : `; use ${instead[resource]} ${type.kind}`;
  return { text: `${apiVersion} ${type.kind} is deprecated in v1.${since}+, unavailable in v${removedRelease}+${use}`, removedRelease };
}
