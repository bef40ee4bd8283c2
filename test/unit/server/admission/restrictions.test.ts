import { expect } from 'chai';
import fc from 'fast-check';
import type { AdmissionRequest } from '../../../../server/registry/admission.js';
import { eventCounter, eventLimitsIn, eventRateLimit } from '../../../../server/admission/events/rateLimit.js';
import { imagePolicyIn, imagePolicyWebhook, type ImagePolicy } from '../../../../server/admission/pods/imagePolicy.js';
import { nodeSelectorsIn } from '../../../../server/admission/pods/nodeSelector.js';
import { tolerationRulesIn } from '../../../../server/admission/pods/tolerationRestriction.js';
import type { ApiObject, JsonObject } from '../../../../api/object.js';
import { certificateGuards } from '../../../../server/authorization/certificates.js';
import { ownerReferencesPermission } from '../../../../server/authorization/ownerReferences.js';
import type { Attributes, Authorizer } from '../../../../server/authorization/authorizer.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { createSample, refusal, type Sample } from '../registry/sample.js';
import { createIdentities } from '../../../fixtures/identities.js';

/** Plugins that are off by default, and those with a configuration. */

const catalogue = createCatalogue({ serves: () => true });
const pod = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const specOf = (object: ApiObject): JsonObject => object['spec'] as JsonObject;
const messageOf = async (write: Promise<unknown>): Promise<string> => (await refusal(write)).message;
const withPlugin = (name: string, configuration: JsonObject | null = null): Promise<Sample> =>
  createSample({ admission: new Set([name]), configurations: new Map(configuration === null ? [] : [[name, configuration]]) });
const annotate = (sample: Sample, annotations: Record<string, string>): Promise<unknown> =>
  sample.update({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } }, (namespace) => {
    namespace.metadata.annotations = annotations;
  });
/** A request for plugins that need no registry. */
const asked = (resource: string, request: Partial<Record<keyof AdmissionRequest, unknown>>): AdmissionRequest => {
  const [name = '', ...group] = resource.split('.');
  const served = catalogue.groups
    .flatMap((each) => each.versions.flatMap(({ resources }) => resources))
    .find((each) => each.resource === name && each.group === group.join('.'))!;
  return {
    operation: 'CREATE',
    subresource: '',
    namespace: 'default',
    name: 'n',
    user: { name: 'u', uid: '', groups: [], extra: {} },
    dryRun: false,
    resource: served,
    object: null,
    old: null,
    form: null,
    options: null,
    warn: () => {},
    annotate: () => {},
    waiter: null,
    deadline: Infinity,
    ...request,
  } as AdmissionRequest;
};

describe('PodNodeSelector', () => {
  const configuration = (selectors: Record<string, string>): JsonObject => ({ podNodeSelectorPluginConfig: selectors });

  it('gives pods the selector of their namespace, or that of the cluster, and the pod may add to it', async () => {
    const sample = await withPlugin('PodNodeSelector', configuration({ clusterDefaultNodeSelector: 'tier=any' }));
    expect(specOf(await sample.create(pod({ nodeSelector: { disk: 'fast' } })))['nodeSelector']).to.deep.equal({
      tier: 'any',
      disk: 'fast',
    });
    await annotate(sample, { 'scheduler.alpha.kubernetes.io/node-selector': 'zone=a, tier = gold' });
    expect(specOf(await sample.create(pod({ nodeSelector: { zone: 'a' } }, { name: 'q' })))['nodeSelector']).to.deep.equal({
      zone: 'a',
      tier: 'gold',
    });
    expect(await messageOf(sample.create(pod({ nodeSelector: { zone: 'b' } }, { name: 'r' })))).to.equal(
      'pods "r" is forbidden: pod node label selector conflicts with its namespace node label selector',
    );
    await annotate(sample, { 'scheduler.alpha.kubernetes.io/node-selector': 'a>b' });
    expect(await messageOf(sample.create(pod({}, { name: 's' })))).to.contain('must be labels such as');
  });
  it('lets pods go only where their namespace may', async () => {
    const sample = await withPlugin('PodNodeSelector', configuration({ default: 'zone=a,disk=fast' }));
    await sample.create(pod({ nodeSelector: { zone: 'a' } }));
    for (const selector of [{ zone: 'b' }, { constructor: 'x' }, { zone: 'a', more: 'x' }]) {
      expect(await messageOf(sample.create(pod({ nodeSelector: selector }, { name: 'q' })))).to.contain(
        'conflict with its namespace whitelist',
      );
    }
  });
  it('does not start with a configuration that is not understood', () => {
    expect(() => nodeSelectorsIn({ podNodeSelectorConfig: {} })).to.throw('podNodeSelectorPluginConfig and nothing else');
    expect(() => nodeSelectorsIn({ podNodeSelectorPluginConfig: { ns: 'a in (b)' } })).to.throw('podNodeSelectorPluginConfig.ns');
  });
});

describe('PodTolerationRestriction', () => {
  const head = { apiVersion: 'podtolerationrestriction.admission.k8s.io/v1alpha1', kind: 'Configuration' };
  const exists = (key: string): JsonObject => ({ key, operator: 'Exists' });

  it('adds what the namespace says, or what the cluster says, and what a pod with promises needs', async () => {
    const sample = await withPlugin('PodTolerationRestriction', { ...head, default: [exists('a')] });
    expect(specOf(await sample.create(pod({ tolerations: [exists('b')] })))['tolerations']).to.deep.equal([exists('a'), exists('b')]);
    await annotate(sample, { 'scheduler.alpha.kubernetes.io/defaultTolerations': JSON.stringify([exists('c')]) });
    const promised = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] };
    expect(specOf(await sample.create(pod(promised, { name: 'q' })))['tolerations']).to.deep.equal([
      exists('c'),
      { ...exists('node.kubernetes.io/memory-pressure'), effect: 'NoSchedule' },
    ]);
    await annotate(sample, { 'scheduler.alpha.kubernetes.io/defaultTolerations': '' });
    expect(specOf(await sample.create(pod({}, { name: 'r' })))).to.not.have.property('tolerations');
    await annotate(sample, { 'scheduler.alpha.kubernetes.io/defaultTolerations': '{' });
    expect(await messageOf(sample.create(pod({}, { name: 's' })))).to.contain('no list of tolerations');
  });
  it('lets pods have only what is allowed, also in updates', async () => {
    const sample = await withPlugin('PodTolerationRestriction', {
      ...head,
      whitelist: [exists('a'), { key: 'b', operator: 'Equal', value: 'x', effect: 'NoSchedule' }],
    });
    const created = await sample.create(pod({ tolerations: [{ key: 'a', operator: 'Equal', value: 'any' }] }));
    expect(created.metadata.name).to.equal('p');
    expect(
      await messageOf(
        sample.create(pod({ tolerations: [{ key: 'b', operator: 'Equal', value: 'y', effect: 'NoSchedule' }] }, { name: 'q' })),
      ),
    ).to.contain('conflict with its namespace whitelist');
    const more = sample.update(pod(), (object) => {
      specOf(object)['tolerations'] = [...(specOf(object)['tolerations'] as JsonObject[]), exists('z')];
    });
    expect(await messageOf(more)).to.contain('conflict with its namespace whitelist');
  });
  it('does not start with a configuration that is not understood', () => {
    expect(() => tolerationRulesIn({ ...head, whiteList: [] })).to.throw('whiteList is unknown');
    expect(() => tolerationRulesIn({ kind: 'Other' })).to.throw('podtolerationrestriction.admission.k8s.io/v1alpha1');
  });
});

describe('EventRateLimit', () => {
  const head = { apiVersion: 'eventratelimit.admission.k8s.io/v1alpha1', kind: 'Configuration' };
  const event = (user: string, namespace: string): AdmissionRequest =>
    asked('events', {
      object: { metadata: { name: 'e', namespace } } as ApiObject,
      namespace,
      user: { name: user, uid: '', groups: [], extra: {} },
    });

  it('lets through at most the burst and then the rate, for each key by itself', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 800 })), { maxLength: 120 }),
        (qps, burst, steps) => {
          let at = 0;
          const limits = eventLimitsIn({ ...head, limits: [{ type: 'Namespace', qps, burst }] });
          const plugin = eventRateLimit(
            limits,
            eventCounter(limits, () => at),
          );
          const passed = new Map<string, number>();
          for (const [namespace, ms] of steps) {
            at += ms;
            try {
              void plugin.validate?.(event('u', namespace));
              passed.set(namespace, (passed.get(namespace) ?? 0) + 1);
            } catch (error) {
              expect(error).to.deep.include({ code: 429, reason: 'TooManyRequests' });
              // Requests within the burst are never refused.
              expect(passed.get(namespace) ?? 0).to.be.at.least(burst);
            }
            expect(passed.get(namespace) ?? 0).to.be.at.most(burst + (at / 1_000) * qps + 1e-6);
          }
        },
      ),
    );
  });
  it('counts with every limit, forgets who was not heard of for longest, and looks at no dry runs', () => {
    const limits = eventLimitsIn({
      ...head,
      limits: [
        { type: 'User', qps: 1, burst: 1, cacheSize: 2 },
        { type: 'Server', qps: 1, burst: 4 },
      ],
    });
    const plugin = eventRateLimit(
      limits,
      eventCounter(limits, () => 0),
    );
    const write = (user: string, more: object = {}): string => {
      try {
        void plugin.validate?.({ ...event(user, 'n'), ...more });
        return 'passes';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect([write('a'), write('a', { dryRun: true }), write('b'), write('c')]).to.deep.equal(['passes', 'passes', 'passes', 'passes']);
    expect(write('c')).to.contain('limit reached on type User for key c');
    expect(write('a')).to.contain('limit reached on type Server');
  });
  it('does not start without limits that are understood', () => {
    for (const [configuration, problem] of [
      [null, 'needs a configuration'],
      [{ ...head, limits: [] }, 'names no limits'],
      [{ ...head, limits: [{ type: 'Serve', qps: 1, burst: 1 }] }, 'limits[0].type must be one of'],
      [{ ...head, limits: [{ type: 'Server', qps: 0, burst: 1 }] }, 'limits[0].qps must be between'],
      [{ ...head, limit: [] }, 'limit is unknown'],
    ] as const)
      expect(() => eventLimitsIn(configuration as JsonObject | null), problem).to.throw(problem);
  });
});

describe('ImagePolicyWebhook', () => {
  const policy: ImagePolicy = { kubeConfigFile: 'f', allowTtlMs: 1_000, denyTtlMs: 500, retryBackoffMs: 0, defaultAllow: false };
  const request = (image: string, more: Partial<Record<keyof AdmissionRequest, unknown>> = {}): AdmissionRequest =>
    asked('pods', {
      object: pod(
        { containers: [{ name: 'c', image }], initContainers: [{ name: 'd', image: 'init' }] },
        { annotations: { 'x.image-policy.k8s.io/y': 'z', other: 'o' } },
      ) as unknown as ApiObject,
      ...more,
    });
  const answer = (allowed: boolean, more: object = {}): string => JSON.stringify({ kind: 'ImageReview', status: { allowed, ...more } });
  const outcome = async (step: ReturnType<typeof imagePolicyWebhook>, about: AdmissionRequest): Promise<string> => {
    try {
      await step.validate?.(about);
      return 'runs';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('asks about all images, remembers what it heard for a while, and refuses what is denied', async () => {
    const questions: JsonObject[] = [];
    let now = 0;
    const step = imagePolicyWebhook({
      policy,
      now: () => now,
      report: () => {},
      ask: (review) => {
        questions.push(JSON.parse(review) as JsonObject);
        return Promise.resolve(review.includes('bad') ? answer(false, { reason: 'unsigned' }) : answer(true));
      },
    });
    expect(await outcome(step, request('good'))).to.equal('runs');
    expect(questions[0]?.['spec']).to.deep.equal({
      containers: [{ image: 'good' }, { image: 'init' }],
      annotations: { 'x.image-policy.k8s.io/y': 'z' },
      namespace: 'default',
    });
    now = 999;
    expect([await outcome(step, request('good')), questions.length]).to.deep.equal(['runs', 1]);
    now = 1_000;
    expect([await outcome(step, request('good')), questions.length]).to.deep.equal(['runs', 2]);
    expect(await outcome(step, request('bad'))).to.contain('image policy webhook backend denied one or more images: unsigned');
  });
  it('asks about images that an update brings, and not about what was there', async () => {
    let asks = 0;
    const step = imagePolicyWebhook({
      policy,
      report: () => {},
      ask: () => {
        asks += 1;
        return Promise.resolve(answer(true));
      },
    });
    const old = request('a').object;
    await outcome(step, request('a', { operation: 'UPDATE', old }));
    await outcome(step, request('a', { operation: 'UPDATE', old, subresource: 'status' }));
    expect(asks).to.equal(0);
    await outcome(step, request('b', { operation: 'UPDATE', old, subresource: 'ephemeralcontainers' }));
    expect(asks).to.equal(1);
  });
  it('that cannot be asked refuses, or lets through and says so', async () => {
    const notes: string[] = [];
    const broken = (defaultAllow: boolean, reply = 'no JSON'): ReturnType<typeof imagePolicyWebhook> =>
      imagePolicyWebhook({ policy: { ...policy, defaultAllow }, report: () => {}, ask: () => Promise.resolve(reply) });
    expect(await outcome(broken(false), request('a'))).to.contain('Post to the image policy webhook failed');
    expect(await outcome(broken(false, '{"kind":"ImageReview"}'), request('a'))).to.contain('no ImageReview');
    expect(
      await outcome(
        broken(true),
        request('a', {
          annotate: (key: string, text: string) => {
            notes.push(`${key}=${text}`);
          },
        }),
      ),
    ).to.equal('runs');
    expect(notes).to.deep.equal(['imagepolicywebhook.image-policy.k8s.io/failed-open=true']);
  });
  it('does not start with a configuration that is not understood', () => {
    const read = (imagePolicy: JsonObject): ImagePolicy => imagePolicyIn({ imagePolicy });
    expect(read({ kubeConfigFile: 'f', denyTTL: -1 })).to.deep.equal({
      kubeConfigFile: 'f',
      allowTtlMs: 300_000,
      denyTtlMs: 0,
      retryBackoffMs: 500,
      defaultAllow: false,
    });
    for (const [wrong, problem] of [
      [{}, 'kubeConfigFile is missing'],
      [{ kubeConfigFile: 'f', allowTTL: 1_801 }, 'allowTTL must be between'],
      [{ kubeConfigFile: 'f', defaultAllowed: true }, 'defaultAllowed is unknown'],
    ] as const) {
      expect(() => read(wrong), problem).to.throw(problem);
    }
    expect(() => imagePolicyIn(null)).to.throw('imagePolicy is missing');
  });
});

/** An authorizer that allows requests as `verb resource/subresource name`, and records them. */
function allowing(...allowed: string[]): { readonly authorize: Authorizer; readonly questions: string[] } {
  const questions: string[] = [];
  const word = (attributes: Attributes): string =>
    attributes.isResource
      ? `${attributes.verb} ${attributes.resource}${attributes.subresource === '' ? '' : `/${attributes.subresource}`} ${attributes.name}${attributes.namespace === '' ? ' cluster' : ''}`
      : attributes.path;
  return {
    questions,
    authorize: (attributes) => {
      questions.push(word(attributes));
      return { decision: allowed.includes(word(attributes)) ? 'allow' : 'noOpinion', reason: '' };
    },
  };
}

describe('OwnerReferencesPermissionEnforcement', () => {
  const reference = (more: JsonObject = {}): JsonObject => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid: 'u1', ...more });
  const owned = (...ownerReferences: JsonObject[]): ApiObject => ({ metadata: { name: 'n', ownerReferences } }) as unknown as ApiObject;
  const problem = async (allowed: readonly string[], request: Partial<Record<keyof AdmissionRequest, unknown>>): Promise<string | null> => {
    const { authorize } = allowing(...allowed);
    try {
      await ownerReferencesPermission(authorize, catalogue).validate?.(asked('pods', request));
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  };

  it('wants the right to delete from whoever changes owners, and none for new objects', async () => {
    const change = { operation: 'UPDATE', old: owned(), object: owned(reference()) };
    expect(await problem([], change)).to.contain("cannot set an ownerRef on a resource you can't delete");
    expect(await problem(['delete pods n'], change)).to.equal(null);
    expect(await problem([], { object: owned(reference()) })).to.equal(null);
    expect(await problem([], { ...change, old: owned(reference()) })).to.equal(null);
    expect(await problem([], { ...change, object: owned(), old: owned(reference()) })).to.contain("can't delete");
  });
  it('wants the right to finalizers of an owner whose deletion is to be blocked', async () => {
    const blocking = { object: owned(reference({ blockOwnerDeletion: true })) };
    expect(await problem([], blocking)).to.contain("refers to a resource you can't set finalizers on");
    expect(await problem(['update replicasets/finalizers rs'], blocking)).to.equal(null);
    expect(
      await problem(['delete pods n'], {
        ...blocking,
        operation: 'UPDATE',
        old: owned(reference({ blockOwnerDeletion: true, controller: true })),
      }),
    ).to.equal(null);
    expect(await problem([], { object: owned(reference({ blockOwnerDeletion: true, kind: 'Nothing' })) })).to.contain(
      'cannot find RESTMapping for APIVersion apps/v1 Kind Nothing',
    );
    const node = { object: owned({ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u2', blockOwnerDeletion: true }) };
    expect(await problem(['update nodes/finalizers n1 cluster'], node)).to.equal(null);
  });
});

describe('trust bundles', () => {
  let pem: string;
  before(async () => {
    pem = (await createIdentities()).ca;
  });
  const bundle = (name: string, spec: JsonObject): JsonObject => ({
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'ClusterTrustBundle',
    metadata: { name },
    spec,
  });

  it('of a signer are named after it, and may be written by those who may attest for it', async () => {
    const named = async (...allowed: string[]): Promise<Sample> =>
      createSample({ admission: new Set(['ClusterTrustBundleAttest']), guards: () => certificateGuards(allowing(...allowed).authorize) });
    const made = bundle('example.com:s:a', { signerName: 'example.com/s', trustBundle: pem });
    await (await named('attest signers example.com/s cluster')).create(made);
    await (await named('attest signers example.com/* cluster')).create(made);
    expect(await messageOf((await named()).create(made))).to.contain('user not permitted to attest for signerName "example.com/s"');
    await (await named()).create(bundle('plain', { trustBundle: pem }));
  });
  it('hold certificates and nothing else, and keep their signer', async () => {
    const sample = await createSample();
    const wrong = async (name: string, spec: JsonObject): Promise<string> => messageOf(sample.create(bundle(name, spec)));
    expect(await wrong('a:b', { trustBundle: pem })).to.contain('must not have ":" in its name');
    expect(await wrong('b', { signerName: 'example.com/s', trustBundle: pem })).to.contain('must be named with prefix example.com:s:');
    expect(await wrong('a', { trustBundle: '' })).to.contain('at least one trust anchor must be provided');
    expect(await wrong('a', { trustBundle: pem.replaceAll('CERTIFICATE', 'PRIVATE KEY') })).to.contain('bad block type: PRIVATE KEY');
    expect(await wrong('a', { trustBundle: pem + pem })).to.contain('duplicate trust anchor');
    expect(await wrong('a', { trustBundle: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' })).to.contain(
      'does not parse as X.509',
    );
    const made = bundle('example.com:s:a', { signerName: 'example.com/s', trustBundle: pem });
    await sample.create(made);
    expect(
      await messageOf(
        sample.update(made, (object) => {
          specOf(object)['signerName'] = 'example.com/t';
        }),
      ),
    ).to.contain('field is immutable');
  });
});
