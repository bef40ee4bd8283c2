/** Chooses the provisioner of a class. Pure. */

const builtInPrefix = 'kubernetes.io/';
export const hostPathProvisioner = `${builtInPrefix}host-path`;

/** Former built-in provisioners, and the drivers that replace them. */
const successors: Readonly<Record<string, string>> = {
  [`${builtInPrefix}aws-ebs`]: 'ebs.csi.aws.com',
  [`${builtInPrefix}gce-pd`]: 'pd.csi.storage.gke.io',
  [`${builtInPrefix}cinder`]: 'cinder.csi.openstack.org',
  [`${builtInPrefix}azure-disk`]: 'disk.csi.azure.com',
  [`${builtInPrefix}azure-file`]: 'file.csi.azure.com',
  [`${builtInPrefix}vsphere-volume`]: 'csi.vsphere.vmware.com',
  [`${builtInPrefix}portworx-volume`]: 'pxd.portworx.com',
};

/** `here` for this program, null for none. */
export function provisionerOf(name: string, hostPath: boolean): string | null {
  if (name === hostPathProvisioner && hostPath) return 'here';
  return successors[name] ?? (name.startsWith(builtInPrefix) ? null : name);
}
