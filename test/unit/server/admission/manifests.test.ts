import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../../api/object.js';
import { convertBuiltIn } from '../../../../server/admission/matching/versions.js';
import { AdmissionManifests } from '../../../../server/assembly/manifests.js';
import { createAdmissionPolicies } from '../../../../server/assembly/policies.js';
import { createAdmissionWebhooks, hookConnections } from '../../../../server/assembly/webhooks.js';
import { everything } from '../../../../server/registry/everything.js';
import { LiveFiles } from '../../../../program/files/liveFile.js';
import { createLogger } from '../../../../program/log/logger.js';
import { createManifestMetrics } from '../../../../server/admission/manifests/metrics.js';
import { createMetrics, type Metrics } from '../../../../server/http/metrics.js';
import { startHookService, type HookService } from '../../../fixtures/hookService.js';
import { shownSeries } from '../../../fixtures/shownSeries.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { createIdentities } from '../../../fixtures/identities.js';
import { createSample, type Sample } from '../registry/sample.js';

const apiVersion = 'admissionregistration.k8s.io/v1';
const names = new Set(['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy', 'MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook']);
const rules = (resource: string, group = ''): JsonObject[] => [
  { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [resource] },
];

const policy = (name: string, expression: string, about: JsonObject[] = rules('configmaps')): JsonObject => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name },
  spec: { matchConstraints: { resourceRules: about }, validations: [{ expression, message: `${name} says no` }] },
});
const binding = (name: string, policyName = name): JsonObject => ({
  apiVersion,
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName, validationActions: ['Deny'] },
});
const changing = (name: string): JsonObject[] => [
  {
    apiVersion,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: rules('configmaps') },
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"by": "file"}}}' },
        },
      ],
    },
  },
  { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata: { name }, spec: { policyName: name } },
];
const configMap = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
const no = policy('no.static.k8s.io', 'false');

describe('admission from files', () => {
  let folders: Readonly<Record<string, string>>;
  let live: LiveFiles;
  let metrics: Metrics;
  let service: HookService;
  const closing: (() => void)[] = [];

  before(async () => {
    service = await startHookService(await createIdentities());
  });
  after(() => {
    service.close();
  });
  beforeEach(() => {
    folders = Object.fromEntries([...names].map((name) => [name, temporaryDirectory('manifests')]));
    live = new LiveFiles();
    service.forget();
  });
  afterEach(() => {
    live.stop();
    for (const close of closing.splice(0)) close();
  });

  const write = (plugin: string, file: string, ...objects: readonly JsonObject[]): void =>
    fs.writeFileSync(path.join(folders[plugin] ?? '', file), objects.map((object) => JSON.stringify(object, null, 1)).join('\n---\n'));

  interface Start {
    readonly enabled?: boolean;
    /** By plugin; default all. */
    readonly configurations?: ReadonlyMap<string, JsonObject>;
  }
  /** A registry with a server's plugins for the folders. Throws where the server would not start. */
  function start({ enabled = true, configurations }: Start = {}): Promise<Sample> {
    metrics = createMetrics();
    const features = { ManifestBasedAdmissionControlConfig: enabled };
    const configured =
      configurations ??
      new Map(
        Object.entries(folders).map(([name, staticManifestsDir]) => [
          name,
          {
            apiVersion: 'apiserver.config.k8s.io/v1',
            kind: name.endsWith('Webhook') ? 'WebhookAdmissionConfiguration' : `${name}Configuration`,
            staticManifestsDir,
          },
        ]),
      );
    return createSample({
      admission: names,
      features,
      guards: (storage, catalogue) => {
        const log = createLogger({ verbosity: 0, output: { write: () => undefined, flush: () => undefined } });
        const manifests = new AdmissionManifests({
          configurations: configured,
          live,
          catalogue,
          enabled: (feature) => feature !== 'ManifestBasedAdmissionControlConfig' || enabled,
          counts: createManifestMetrics(metrics.registry, 'r1'),
          log,
        });
        const authorize = () => Promise.resolve({ decision: 'allow', reason: '' } as const);
        const common = { storage, catalogue, convert: convertBuiltIn, authorize, enabled: names, manifests, log };
        const policies = createAdmissionPolicies(common);
        const connections = hookConnections(
          { 'enable-aggregator-routing': false, 'proxy-client-cert-file': null, 'proxy-client-key-file': null },
          storage,
        );
        const webhooks = createAdmissionWebhooks({ ...common, connections, configurations: configured, metrics });
        closing.push(
          () => policies.stop(),
          () => webhooks.stop(),
        );
        return [...webhooks.steps, ...policies.steps];
      },
    });
  }
  const startFailure = async (): Promise<string> => {
    try {
      await start();
    } catch (error) {
      return (error as Error).message;
    }
    return 'none';
  };
  const answer = (sample: Sample, object: JsonObject): Promise<string> =>
    sample.create(object).then(
      () => 'taken',
      (error: unknown) => (error as Error).message,
    );
  it('policies are in effect from the first request, and defaults apply', async () => {
    write('ValidatingAdmissionPolicy', 'a.yaml', no, binding('no.static.k8s.io'));
    const sample = await start();
    expect(await answer(sample, configMap('a'))).to.contain("'no.static.k8s.io' denied request: no.static.k8s.io says no");
    expect(await answer(sample, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } })).to.equal('taken');
  });

  it('are nothing that the API shows', async () => {
    write('ValidatingAdmissionPolicy', 'a.yaml', no, binding('no.static.k8s.io'));
    const sample = await start();
    const resource = { group: 'admissionregistration.k8s.io', resource: 'validatingadmissionpolicies' };
    const found = await sample.storage.list({ ...everything, resource, namespace: null, consistency: { at: 'mostRecent' } });
    expect(found.outcome === 'found' && found.items).to.deep.equal([]);
  });

  it('are read from lists, from several files in order, and not from others', async () => {
    const bindings = {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBindingList',
      items: [binding('one.static.k8s.io'), binding('two.static.k8s.io')],
    };
    write('ValidatingAdmissionPolicy', 'b.json', {
      apiVersion: 'v1',
      kind: 'List',
      items: [policy('two.static.k8s.io', 'true'), bindings],
    });
    write('ValidatingAdmissionPolicy', 'a.yml', policy('one.static.k8s.io', 'object.metadata.name != "a"'));
    write('ValidatingAdmissionPolicy', 'ignored.txt', { nonsense: true });
    fs.mkdirSync(path.join(folders['ValidatingAdmissionPolicy'] ?? '', 'folder.yaml'));
    fs.writeFileSync(path.join(folders['ValidatingAdmissionPolicy'] ?? '', 'empty.yaml'), '# nothing\n---\n');
    const sample = await start();
    expect(await answer(sample, configMap('a'))).to.contain('one.static.k8s.io says no');
    expect(await answer(sample, configMap('b'))).to.equal('taken');
  });

  it('mutating policies change objects', async () => {
    write('MutatingAdmissionPolicy', 'a.yaml', ...changing('by.static.k8s.io'));
    const sample = await start();
    expect((await sample.create(configMap('a'))).metadata.labels).to.deep.equal({ by: 'file' });
  });

  const hook = (kind: string, name: string, client: JsonObject): JsonObject => ({
    apiVersion,
    kind,
    metadata: { name },
    webhooks: [
      { name: 'a.example.com', clientConfig: client, rules: rules('configmaps'), sideEffects: 'None', admissionReviewVersions: ['v1'] },
    ],
  });

  it('webhooks are asked before those of the API', async () => {
    const client = (at: string): JsonObject => ({ url: `${service.url}/${at}`, caBundle: service.caBundle });
    write('MutatingAdmissionWebhook', 'a.yaml', hook('MutatingWebhookConfiguration', 'z.static.k8s.io', client('file')));
    const sample = await start();
    await sample.create(hook('MutatingWebhookConfiguration', 'a', client('api')));
    await sample.create(configMap('a'));
    expect(service.paths.map((asked) => asked.split('?')[0]?.split('/').at(-1))).to.deep.equal(['file', 'api']);
    service.reply = (review) => ({ allowed: false, uid: String((review['request'] as JsonObject)['uid']), status: { message: 'never' } });
    expect(await answer(sample, configMap('b'))).to.contain('a.example.com');
  });

  it('judge webhooks and policies of the API, which those of the API do not', async () => {
    const about = rules('*', 'admissionregistration.k8s.io');
    const guarded = policy('guard.static.k8s.io', 'object.metadata.name != "protected"', about);
    write('ValidatingAdmissionPolicy', 'a.yaml', guarded, binding('guard.static.k8s.io'));
    const sample = await start();
    await sample.create(policy('api', 'false', about));
    await sample.create(binding('api'));
    expect(await answer(sample, policy('other', 'true'))).to.equal('taken');
    expect(await answer(sample, policy('protected', 'true'))).to.contain('guard.static.k8s.io says no');
  });

  it('keep their names for themselves, with the gate; without it a warning tells', async () => {
    const reserved = [policy('x.static.k8s.io', 'true'), binding('x.static.k8s.io', 'p'), ...changing('x.static.k8s.io')];
    const hooks = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) =>
      hook(kind, 'x.static.k8s.io', { url: 'https://a.example.com/' }),
    );
    const [on, off] = [await start(), await start({ enabled: false, configurations: new Map() })];
    for (const object of [...reserved, ...hooks]) {
      expect(await answer(on, object), String(object['kind'])).to.contain('are reserved for static manifest-based configurations');
      off.warnings();
      expect(await answer(off, object)).to.equal('taken');
      expect(off.warnings().join()).to.contain('names ending with ".static.k8s.io" will be reserved');
    }
  });

  it('change with their files, all at once; what cannot be used changes nothing, and is counted', async () => {
    write('ValidatingAdmissionPolicy', 'a.yaml', no, binding('no.static.k8s.io'));
    const sample = await start();
    const outcomes = async (): Promise<Record<string, number>> => {
      const shown = await shownSeries(metrics.registry, 'apiserver_manifest_admission_config_controller_automatic_reloads_total');
      return Object.fromEntries(
        Object.entries(shown)
          .filter(([labels]) => labels.includes('plugin="ValidatingAdmissionPolicy"'))
          .map(([labels, value]) => [/status="?(\w+)|(success|failure)/.exec(labels)?.slice(1).find(Boolean) ?? labels, value]),
      ) as Record<string, number>;
    };
    expect(await outcomes(), 'the first reading').to.deep.equal({ success: 1 });
    write('ValidatingAdmissionPolicy', 'a.yaml', { ...no, spec: { validation: [] } });
    live.look();
    expect(await answer(sample, configMap('a'))).to.contain('no.static.k8s.io says no');
    expect(await outcomes()).to.deep.equal({ failure: 1, success: 1 });
    write('ValidatingAdmissionPolicy', 'a.yaml', policy('no.static.k8s.io', 'object.metadata.name != "c"'), binding('no.static.k8s.io'));
    live.look();
    expect([await answer(sample, configMap('a')), await answer(sample, configMap('c'))]).to.satisfy(
      ([a, c]: string[]) => a === 'taken' && c?.includes('says no'),
    );
    expect(await outcomes()).to.deep.equal({ failure: 1, success: 2 });
    write('ValidatingAdmissionPolicy', 'b.yaml', policy('also.static.k8s.io', 'false'), binding('also.static.k8s.io'));
    live.look();
    expect(await answer(sample, configMap('d'))).to.contain('also.static.k8s.io says no');
    for (const file of ['a.yaml', 'b.yaml']) fs.rmSync(path.join(folders['ValidatingAdmissionPolicy'] ?? '', file));
    live.look();
    expect(await answer(sample, configMap('c'))).to.equal('taken');
  });

  const unusable: readonly (readonly [what: string, plugin: string, objects: readonly JsonObject[], why: RegExp])[] = [
    ['another name', 'ValidatingAdmissionPolicy', [policy('no', 'true')], /a\.yaml: ValidatingAdmissionPolicy "no": the name must end with "\.static\.k8s\.io"/],
    ['a misspelt member', 'ValidatingAdmissionPolicy', [{ ...no, spec: { ...(no['spec'] as JsonObject), validation: [] } }], /strict decoding error: unknown field "spec.validation"/],
    ['what the API refuses', 'ValidatingAdmissionPolicy', [{ ...no, spec: { validations: [] } }], /is invalid: .*spec\.matchConstraints/],
    ['an expression that is none', 'ValidatingAdmissionPolicy', [policy('no.static.k8s.io', 'object.')], /is invalid: .*spec\.validations\[0\]\.expression/],
    ['parameters', 'ValidatingAdmissionPolicy', [{ ...no, spec: { ...(no['spec'] as JsonObject), paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } }], /spec\.paramKind is not supported/],
    ['a binding of nothing', 'ValidatingAdmissionPolicy', [binding('no.static.k8s.io')], /a\.yaml: binding "no\.static\.k8s\.io" references policy "no\.static\.k8s\.io", which is in none/],
    ['a binding of the API\'s', 'ValidatingAdmissionPolicy', [binding('no.static.k8s.io', 'api')], /spec\.policyName "api" must end with/],
    ['a name twice', 'ValidatingAdmissionPolicy', [no, no], /is there already, in .*a\.yaml/],
    ['another kind', 'ValidatingAdmissionPolicy', [configMap('a')], /unsupported resource type v1, ConfigMap/],
    ['another plug-in\'s kind', 'MutatingAdmissionPolicy', [no], /unsupported resource type/],
    ['an older version', 'ValidatingAdmissionPolicy', [{ ...no, apiVersion: 'admissionregistration.k8s.io/v1beta1' }], /unsupported resource type admissionregistration\.k8s\.io\/v1beta1/],
    ['a service', 'ValidatingAdmissionWebhook', [hook('ValidatingWebhookConfiguration', 'a.static.k8s.io', { service: { namespace: 'n', name: 's' } })], /clientConfig\.service is not supported/],
    ['no place', 'ValidatingAdmissionWebhook', [hook('ValidatingWebhookConfiguration', 'a.static.k8s.io', {})], /clientConfig\.url is required/],
  ]; // prettier-ignore
  for (const [what, plugin, objects, why] of unusable)
    it(`keep a server from starting: ${what}`, async () => {
      write(plugin, 'a.yaml', ...objects);
      expect(await startFailure()).to.match(why);
    });

  it('keep a server from starting where the folder is none, or the gate is off', async () => {
    const of = (folder: string): ReadonlyMap<string, JsonObject> =>
      new Map([
        [
          'ValidatingAdmissionPolicy',
          { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ValidatingAdmissionPolicyConfiguration', staticManifestsDir: folder },
        ],
      ]);
    const failure = async (folder: string, enabled = true): Promise<string> => {
      try {
        await start({ enabled, configurations: of(folder) });
        return 'none';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const folder = folders['ValidatingAdmissionPolicy'] ?? '';
    expect(await failure(folder)).to.equal('none');
    expect(await failure(folder, false)).to.contain('needs the feature ManifestBasedAdmissionControlConfig');
    expect(await failure('manifests')).to.contain('must be an absolute path');
    expect(await failure(path.join(folder, 'absent'))).to.contain('must be a directory that can be read');
  });
});
