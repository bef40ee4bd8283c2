import { qualifiedName, type GroupVersion } from '../../api/resource.js';
import { introducedIn } from '../../program/features/introduced.js';
import type { StorageResource } from '../registry/resources.js';

/** Types that the reference stores in an older version, whatever is emulated, so that the previous release can read them (`NewStorageFactoryConfig`). */
const pinned: Readonly<Record<string, string>> = {
  'clustertrustbundles.certificates.k8s.io': 'v1beta1',
  'customresourcedefinitions.apiextensions.k8s.io': 'v1beta1',
  'devicetaintrules.resource.k8s.io': 'v1alpha3',
  'leasecandidates.coordination.k8s.io': 'v1beta1',
  'mutatingadmissionpolicies.admissionregistration.k8s.io': 'v1beta1',
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': 'v1beta1',
  'podcertificaterequests.certificates.k8s.io': 'v1beta1',
};

/**
 * The version in which the reference stores a built-in type: the first preferred one that the release before the emulated one has, else the preferred one
 * (`emulatedStorageVersion`). So that release can read the data. Pure.
 */
export function writtenVersion(
  storage: StorageResource,
  { versions, emulatedMinor }: { readonly versions: readonly GroupVersion[]; readonly emulatedMinor: number },
): string {
  const readable = versions.find((each) => introducedIn({ ...each, resource: storage.resource }) < emulatedMinor);
  return pinned[qualifiedName(storage)] ?? readable?.version ?? storage.version;
}
