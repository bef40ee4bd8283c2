import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { componentSchema, componentSchemaNames, readComponentFile } from '../../../../controllers/options/componentFile.js';
import { readControllerManagerOptions } from '../../../../controllers/options/read.js';
import { configz } from '../../../../controllers/serving/pages.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const head = (kind: string): string =>
  `apiVersion: ${kind.replace('Configuration', '').toLowerCase()}.config.k8s.io/v1alpha1\nkind: ${kind}\n`;
const manager = head('KubeControllerManagerConfiguration');
const cloud = head('CloudControllerManagerConfiguration');

describe('controllers/options/componentFile', () => {
  const read = (text: string): ReturnType<typeof readComponentFile> => {
    const file = path.join(temporaryDirectory('component'), 'config.yaml');
    fs.writeFileSync(file, text);
    return readComponentFile(file);
  };

  it('gives the options of a file, with either spelling of its members', () => {
    const { flags, notes } = read(`${manager}Generic:
  Port: 10258
  LeaderElection: { leaderElect: false, leaseDuration: 20s, renewDeadline: 15s }
  clientConnection: { kubeconfig: /k, qps: 50.5, burst: 30 }
  Controllers: ['*', -job]
NodeIPAMController: { ServiceCIDR: 10.0.0.0/16, SecondaryServiceCIDR: 'fd00::/112', NodeCIDRMaskSize: 0 }
NodeLifecycleController: { PodEvictionTimeout: 5m, NodeEvictionRate: 0.1 }
`);
    expect(flags).to.deep.equal([
      '--secure-port=10258',
      '--kubeconfig=/k',
      '--kube-api-qps=50.5',
      '--leader-elect=false',
      '--leader-elect-lease-duration=20s',
      '--leader-elect-renew-deadline=15s',
      '--controllers=*,-job',
      '--service-cluster-ip-range=10.0.0.0/16,fd00::/112',
    ]);
    expect(notes).to.deep.equal(['NodeLifecycleController.PodEvictionTimeout is "0s" here, whatever is given']);
    expect(read(manager)).to.deep.equal({ flags: [], notes: [] });
  });

  it('reads that of a cloud, and says what no option can say', () => {
    const { flags, notes } = read(`${cloud}KubeCloudShared: { CloudProvider: { Name: external }, ClusterName: c }
ServiceController: { ConcurrentServiceSyncs: 3 }
NodeController: { ConcurrentNodeSyncs: 2 }
Webhook: { Webhooks: ['*'] }
Generic: { LeaderMigrationEnabled: true, LeaderMigration: { leaderName: moving, controllerLeaders: [{ name: route, component: '*' }] } }
`);
    expect(flags).to.have.members([
      '--cloud-provider=external',
      '--cluster-name=c',
      '--concurrent-service-syncs=3',
      '--enable-leader-migration=true',
    ]);
    expect(notes.map((note) => note.split(' ')[0])).to.have.members([
      'NodeController.ConcurrentNodeSyncs',
      'Webhook.Webhooks',
      'Generic.LeaderMigration',
    ]);
  });

  it('takes back what /configz tells', () => {
    const given = ['--concurrent-job-syncs=7', '--leader-elect-lease-duration=1m30s', '--controllers=*,-job', '--allocate-node-cidrs=true'];
    const options = readControllerManagerOptions([...given, '--cluster-cidr=10.1.0.0/16']);
    if (!options.ok) throw new Error(options.errors.join());
    const reported = JSON.parse(configz(options.options).body) as Readonly<Record<string, object>>;
    const shown = { apiVersion: 'kubecontrollermanager.config.k8s.io/v1alpha1', kind: 'KubeControllerManagerConfiguration' };
    const { flags, notes } = read(JSON.stringify({ ...shown, ...reported['kubecontrollermanager.config.k8s.io'] }));
    expect(flags).to.have.members([...given, '--cluster-cidr=10.1.0.0/16']);
    expect(notes).to.deep.equal([]);
  });

  for (const [what, text, message] of [
    ['another kind', head('LeaderMigrationConfiguration'), /must hold one of the kinds KubeControllerManagerConfiguration and/],
    ['another version', manager.replace('v1alpha1', 'v1'), /must hold kind KubeControllerManagerConfiguration of apiVersion/],
    [
      'a member that is unknown',
      `${manager}JobController: { ConcurrentJobSync: 5 }\n`,
      /line 3: JobController.ConcurrentJobSync is unknown \(did you mean/,
    ],
    ['a value of another type', `${manager}Generic: { Port: high }\n`, /Generic.Port must be a whole number/],
    ['a rate of another type', `${manager}Generic: { ClientConnection: { qps: fast } }\n`, /must be a number/],
    ['a duration that is none', `${manager}Generic: { MinResyncPeriod: soon }\n`, /--min-resync-period/],
    ['a value out of its bounds', `${manager}EndpointSliceController: { MaxEndpointsPerSlice: 1001 }\n`, /--max-endpoints-per-slice/],
    ['what contradicts itself', `${manager}Generic: { LeaderElection: { renewDeadline: 20s } }\n`, /must be shorter than/],
    ['a member twice', `${manager}Generic: { Port: 1 }\nGeneric: { Port: 2 }\n`, /Generic/],
  ] as const)
    it(`refuses ${what}`, () => expect(() => read(text)).to.throw(message));

  it('has a JSON Schema of each kind', () => {
    expect(componentSchemaNames).to.deep.equal([
      'KubeControllerManagerConfiguration',
      'CloudControllerManagerConfiguration',
      'LeaderMigrationConfiguration',
    ]);
    const ajv = new Ajv({ allowUnionTypes: true });
    for (const name of componentSchemaNames)
      expect(() => ajv.compile(JSON.parse(componentSchema(name) ?? '') as object), name).not.to.throw();
    expect(componentSchema('Policy')).to.equal(null);
  });
});
