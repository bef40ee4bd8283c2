/**
 * The reference's plugins in running order: later ones see earlier additions, and no refusal may follow a quota charge. The tables of steps contain the
 * implemented ones.
 */
interface KnownPlugin {
  readonly name: string;
  /** Runs unless `--disable-admission-plugins` names it; others run if `--enable-admission-plugins` does. */
  readonly byDefault: boolean;
}

const on = (name: string): KnownPlugin => ({ name, byDefault: true });
const off = (name: string): KnownPlugin => ({ name, byDefault: false });

export const knownPlugins: readonly KnownPlugin[] = [
  off('AlwaysAdmit'),
  off('NamespaceAutoProvision'),
  on('NamespaceLifecycle'),
  off('NamespaceExists'),
  off('LimitPodHardAntiAffinityTopology'),
  on('LimitRanger'),
  on('ServiceAccount'),
  off('NodeRestriction'),
  on('TaintNodesByCondition'),
  off('AlwaysPullImages'),
  off('ImagePolicyWebhook'),
  on('PodSecurity'),
  off('PodNodeSelector'),
  on('Priority'),
  on('DefaultTolerationSeconds'),
  off('PodTolerationRestriction'),
  off('EventRateLimit'),
  off('ExtendedResourceToleration'),
  on('DefaultStorageClass'),
  on('StorageObjectInUseProtection'),
  off('OwnerReferencesPermissionEnforcement'),
  on('PersistentVolumeClaimResize'),
  on('RuntimeClass'),
  on('CertificateApproval'),
  on('CertificateSigning'),
  on('ClusterTrustBundleAttest'),
  on('CertificateSubjectRestriction'),
  on('DefaultIngressClass'),
  off('DenyServiceExternalIPs'),
  on('PodTopologyLabels'),
  on('PodGroupWorkloadExists'),
  on('NodeDeclaredFeatureValidator'),
  on('JobValidation'),
  on('PodResizeValidator'),
  on('MutatingAdmissionPolicy'),
  on('MutatingAdmissionWebhook'),
  on('ValidatingAdmissionPolicy'),
  on('ValidatingAdmissionWebhook'),
  on('ResourceQuota'),
  off('AlwaysDeny'),
];

const places: ReadonlyMap<string, number> = new Map(knownPlugins.map(({ name }, place) => [name, place]));

export const isKnownPlugin = (name: string): boolean => places.has(name);

/** Returns the position in the chain. Checks of the reference's registry, which are not plugins there, run first. */
export const placeOf = (name: string): number => places.get(name) ?? -1;

/** Applies the two options. */
export function enabledPlugins(enable: readonly string[], disable: readonly string[]): ReadonlySet<string> {
  const names = knownPlugins
    .filter(({ name, byDefault }) => (byDefault || enable.includes(name)) && !disable.includes(name))
    .map(({ name }) => name);
  return new Set(names);
}
