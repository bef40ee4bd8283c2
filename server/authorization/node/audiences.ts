import type { ApiObject, JsonObject } from '../../../api/object.js';
import type { User } from '../../../api/user.js';
import type { Lookup } from '../../registry/lookup.js';
import { objectAt, objectsIn } from '../../../api/json/defaulting.js';
import { itemsOf, memberAt, textAt } from '../../../api/json/members.js';
import type { Authorizer } from '../authorizer.js';

/** Limits the audiences of tokens that a node may request: elsewhere it could act as any of its pods. */

const audienceVerb = 'request-serviceaccounts-token-audience';

export interface AudienceQuestion {
  readonly user: User;
  readonly namespace: string;
  readonly account: string;
  readonly audiences: readonly string[];
  /** The pod that binds the token. */
  readonly pod: ApiObject;
}

/**
 * Returns why a node may not request a token for these audiences, or null. The pod must request the audience in a volume, itself or through a driver, or a
 * rule must allow it (the audience as resource, the account as name). No audience means this API.
 */
export async function audienceProblem(
  { user, namespace, account, audiences, pod }: AudienceQuestion,
  lookup: Lookup,
  authorize: Authorizer,
): Promise<string | null> {
  if (audiences.length > 1) return 'node may only request 0 or 1 audiences';
  const [audience = ''] = audiences;
  const asked = await podAsks(pod, audience, namespace, lookup);
  if (asked.found) return null;
  const words = JSON.stringify(audience);
  if (asked.problems.length > 0)
    return `error validating audience ${words}: ${asked.problems.length === 1 ? asked.problems[0]! : `[${asked.problems.join(', ')}]`}`;
  const { decision, error } = await authorize({
    isResource: true,
    user,
    verb: audienceVerb,
    group: '',
    version: 'v1',
    namespace,
    resource: audience,
    subresource: '',
    name: account,
  });
  if (decision === 'allow') return null;
  return `audience ${words} not found in pod spec volume, ${error === undefined ? `${user.name} is not authorized to request tokens for this audience` : `error authorizing ${user.name} to request tokens for this audience: ${error}`}`;
}

async function podAsks(
  pod: ApiObject,
  audience: string,
  namespace: string,
  lookup: Lookup,
): Promise<{ readonly found: boolean; readonly problems: readonly string[] }> {
  const problems = new Set<string>();
  const drivers = new Set<string>();
  for (const volume of objectsIn(objectAt(pod, 'spec') ?? {}, 'volumes')) {
    const tokens = itemsOf(memberAt(volume, 'projected', 'sources')).filter(
      (source) => memberAt(source, 'serviceAccountToken') !== undefined,
    );
    if (tokens.some((source) => textAt(source, 'serviceAccountToken', 'audience') === audience)) return { found: true, problems: [] };
    const driver = await driverOf(volume, pod, namespace, lookup);
    if (typeof driver !== 'string') problems.add(driver.problem);
    else if (driver !== '' && !drivers.has(driver)) {
      drivers.add(driver);
      const object = await lookup.find(driversResource, '', driver);
      if (object === null) problems.add(`csidriver.storage.k8s.io ${JSON.stringify(driver)} not found`);
      else if (itemsOf(memberAt(object, 'spec', 'tokenRequests')).some((request) => textAt(request, 'audience') === audience))
        return { found: true, problems: [] };
    }
  }
  return { found: false, problems: [...problems] };
}

const driversResource = { group: 'storage.k8s.io', resource: 'csidrivers' };
const claims = { group: '', resource: 'persistentvolumeclaims' };
const volumes = { group: '', resource: 'persistentvolumes' };

/** Drivers that replace volume types that were once built in. */
const migratedDrivers: Readonly<Record<string, string>> = {
  awsElasticBlockStore: 'ebs.csi.aws.com',
  azureDisk: 'disk.csi.azure.com',
  azureFile: 'file.csi.azure.com',
  cinder: 'cinder.csi.openstack.org',
  gcePersistentDisk: 'pd.csi.storage.gke.io',
  portworxVolume: 'pxd.portworx.com',
  vsphereVolume: 'csi.vsphere.vmware.com',
};

type Driver = string | { readonly problem: string };
const migrated = (source: JsonObject): string =>
  migratedDrivers[Object.keys(source).find((member) => Object.hasOwn(migratedDrivers, member)) ?? ''] ?? '';

/** The driver that mounts a volume, or empty. */
async function driverOf(volume: JsonObject, pod: ApiObject, namespace: string, lookup: Lookup): Promise<Driver> {
  if (memberAt(volume, 'ephemeral', 'volumeClaimTemplate') !== undefined)
    return driverOfClaim(`${pod.metadata.name ?? ''}-${textAt(volume, 'name')}`, namespace, lookup);
  if (memberAt(volume, 'persistentVolumeClaim') !== undefined)
    return driverOfClaim(textAt(volume, 'persistentVolumeClaim', 'claimName'), namespace, lookup);
  return memberAt(volume, 'csi') !== undefined ? textAt(volume, 'csi', 'driver') : migrated(volume);
}

async function driverOfClaim(name: string, namespace: string, lookup: Lookup): Promise<Driver> {
  const claim = await lookup.find(claims, namespace, name);
  if (claim === null) return { problem: `persistentvolumeclaim ${JSON.stringify(name)} not found` };
  const volumeName = textAt(claim, 'spec', 'volumeName');
  const volume = volumeName === '' ? null : await lookup.find(volumes, '', volumeName);
  if (volume === null) return { problem: `persistentvolume ${JSON.stringify(volumeName)} not found` };
  return memberAt(volume, 'spec', 'csi') !== undefined ? textAt(volume, 'spec', 'csi', 'driver') : migrated(objectAt(volume, 'spec') ?? {});
}
