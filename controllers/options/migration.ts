import { readConfiguration, refuseConfiguration, type ConfigurationKind } from '../../program/files/configuration.js';

/** Controllers with a separate lease during their move between programs, so that they never run twice. */
export interface LeaderMigration {
  /** Name of that lease, in the other lease's namespace. */
  readonly leaseName: string;
  /** The kind of lock in the file. A Lease is always used: the reference reads and ignores `endpoints`, too. */
  readonly resourceLock: 'leases' | 'endpoints';
  /** The component that runs a controller, by old or new name; `*` for any holder. */
  readonly components: ReadonlyMap<string, string>;
}

interface MigrationOptions {
  readonly 'enable-leader-migration': boolean;
  readonly 'leader-migration-config': string | null;
}

const managerComponent = 'kube-controller-manager';
const option = '--leader-migration-config';

/** The reference's default: controllers moved to cloud controller managers. */
const usual: LeaderMigration = {
  leaseName: 'cloud-provider-extraction-migration',
  resourceLock: 'leases',
  components: new Map([
    ['node-route-controller', managerComponent],
    ['service-lb-controller', managerComponent],
    ['cloud-node-lifecycle-controller', managerComponent],
  ]),
};

/** The file of `--leader-migration-config`. */
export const leaderMigrationKind: ConfigurationKind = {
  option,
  kind: 'LeaderMigrationConfiguration',
  apiVersions: ['v1', 'v1beta1', 'v1alpha1'].map((version) => `controllermanager.config.k8s.io/${version}`),
  fields: {
    leaderName: 'text',
    resourceLock: { oneOf: ['leases', 'endpoints'] },
    controllerLeaders: { list: { fields: { name: 'text', component: 'text' } } },
  },
};

/** Returns null where nothing migrates. Reads the file of the options; throws its errors, including controllers that `isKnown` does not know. */
export function leaderMigrationOf(options: MigrationOptions, isKnown: (controller: string) => boolean): LeaderMigration | null {
  const file = options['leader-migration-config'];
  if (!options['enable-leader-migration']) return null;
  if (file === null) return usual;
  const value = readConfiguration(file, leaderMigrationKind) as {
    readonly leaderName?: string;
    readonly resourceLock?: LeaderMigration['resourceLock'];
    readonly controllerLeaders?: readonly { readonly name?: string; readonly component?: string }[];
  };
  const refuse = (what: string): never => refuseConfiguration(file, option, [what]);
  if ((value.leaderName ?? '') === '') refuse('lacks leaderName, the lease of the controllers that move');
  const components = new Map<string, string>();
  for (const [index, { name = '', component = '' }] of (value.controllerLeaders ?? []).entries()) {
    const at = `controllerLeaders[${index}]`;
    if (!isKnown(name)) refuse(`${at}.name is ${JSON.stringify(name)}, which is no controller`);
    if (component === '') refuse(`${at}.component must be there: ${managerComponent}, or * for whichever holds the lease`);
    if (components.has(name)) refuse(`${at}.name is ${name} for the second time`);
    components.set(name, component);
  }
  return { leaseName: value.leaderName ?? '', resourceLock: value.resourceLock ?? 'leases', components };
}

/** Returns the lease of a controller: the program's, the one for migration, or none if another program has it. Pure. */
export function placeOf(
  { name, alias }: { readonly name: string; readonly alias: string },
  migration: LeaderMigration | null,
): 'stays' | 'moves' | 'elsewhere' {
  const component = migration?.components.get(name) ?? migration?.components.get(alias);
  if (component === undefined) return 'stays';
  return component === '*' || component === managerComponent ? 'moves' : 'elsewhere';
}
