import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { JsonObject } from '../../../../api/object.js';
import { podSecurityRules } from '../../../../server/admission/podsecurity/configuration.js';
import { createPodSecurityMetrics } from '../../../../server/admission/podsecurity/metrics.js';
import { noPolicy, policyOf, type Level } from '../../../../server/admission/podsecurity/policy.js';
import { detailsText, violations } from '../../../../server/admission/podsecurity/standards.js';
import { subjectOf } from '../../../../server/admission/podsecurity/subject.js';
import type { AdmissionRequest } from '../../../../server/registry/admission.js';
import { podSecurity } from '../../../../server/admission/podsecurity/podSecurity.js';
import { createCatalogue } from '../../../../server/kinds/index.js';
import { createSample, refusal, type Sample } from '../registry/sample.js';

/** The rules of each level, and the effects of violations. */
const good = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  seccompProfile: { type: 'RuntimeDefault' },
};
const container = (name: string, security: JsonObject = good, more: JsonObject = {}): JsonObject => ({
  name,
  image: 'i',
  securityContext: security,
  ...more,
});
const spec = (...containers: JsonObject[]): JsonObject => ({ containers });
const label = (mode: string, value: string): Record<string, string> => ({ [`pod-security.kubernetes.io/${mode}`]: value });

const rows: readonly (readonly [
  what: string,
  level: Level,
  spec: JsonObject,
  expected: string,
  minor?: number,
  annotations?: Record<string, string>,
])[] = [
  ['nothing of what is privileged', 'privileged', { hostPID: true, ...spec(container('a', { privileged: true })) }, ''],
  [
    'privileged containers',
    'baseline',
    spec(container('a', { privileged: true }), container('b', { privileged: true })),
    'privileged (containers "a", "b" must not set securityContext.privileged=true)',
  ],
  [
    'the namespaces of the node',
    'baseline',
    { hostNetwork: true, hostIPC: true, ...spec(container('a')) },
    'host namespaces (hostNetwork=true, hostIPC=true)',
  ],
  [
    'paths of the node',
    'baseline',
    { volumes: [{ name: 'v', hostPath: { path: '/' } }], ...spec(container('a')) },
    'hostPath volumes (volume "v")',
  ],
  [
    'ports of the node',
    'baseline',
    spec(
      container(
        'a',
        {},
        {
          ports: [
            { containerPort: 1, hostPort: 9 },
            { containerPort: 2, hostPort: 10 },
          ],
        },
      ),
    ),
    'hostPort (container "a" uses hostPorts 10, 9)',
  ],
  [
    'hosts of probes',
    'baseline',
    spec(
      container(
        'a',
        {},
        { livenessProbe: { httpGet: { host: 'h', port: 1 } }, lifecycle: { preStop: { tcpSocket: { host: 'k', port: 1 } } } },
      ),
    ),
    'probe or lifecycle host (container "a" uses probe or lifecycle hosts "h", "k")',
  ],
  [
    'hosts of probes before that was a rule',
    'baseline',
    spec(container('a', {}, { livenessProbe: { httpGet: { host: 'h', port: 1 } } })),
    '',
    33,
  ],
  [
    'capabilities beyond the usual ones',
    'baseline',
    spec(container('a', { capabilities: { add: ['SYS_ADMIN', 'CHOWN', 'BPF'] } })),
    'non-default capabilities (container "a" must not include "BPF", "SYS_ADMIN" in securityContext.capabilities.add)',
  ],
  [
    'options of SELinux',
    'baseline',
    { securityContext: { seLinuxOptions: { user: 'u', type: 'spc_t' } }, ...spec(container('a', { seLinuxOptions: { role: 'r' } })) },
    'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set)',
  ],
  [
    'unconfined pods',
    'baseline',
    { securityContext: { seccompProfile: { type: 'Unconfined' } }, ...spec(container('a', {})) },
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    'annotations for that, long ago',
    'baseline',
    spec(container('a', {})),
    'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    18,
    { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' },
  ],
  [
    'profiles of AppArmor',
    'baseline',
    spec(container('a', { appArmorProfile: { type: 'Unconfined' } })),
    'forbidden AppArmor profile (container "a" must not set AppArmor profile type to "Unconfined")',
  ],
  [
    'annotations for those, whose quotes are not escaped',
    'baseline',
    spec(container('a', {})),
    'forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/a="x"")',
    undefined,
    { 'container.apparmor.security.beta.kubernetes.io/a': 'x' },
  ],
  [
    'parameters of the kernel',
    'baseline',
    {
      securityContext: {
        sysctls: [
          { name: 'kernel.msgmax', value: '1' },
          { name: 'net.ipv4.tcp_rmem', value: '1' },
        ],
      },
      ...spec(container('a')),
    },
    'forbidden sysctls (kernel.msgmax)',
  ],
  [
    'parameters that came later',
    'baseline',
    { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem', value: '1' }] }, ...spec(container('a')) },
    'forbidden sysctls (net.ipv4.tcp_rmem)',
    31,
  ],
  [
    'unmasked processes',
    'baseline',
    spec(container('a', { procMount: 'Unmasked' })),
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
  ],
  ['unmasked processes of own users', 'baseline', { hostUsers: false, ...spec(container('a', { procMount: 'Unmasked' })) }, ''],
  [
    'unmasked processes of own users, strictly',
    'restricted',
    { hostUsers: false, ...spec(container('a', { ...good, procMount: 'Unmasked' })) },
    'procMount (container "a" must not set securityContext.procMount to "Unmasked")',
  ],
  [
    'processes of the node on Windows',
    'baseline',
    { securityContext: { windowsOptions: { hostProcess: true } }, ...spec(container('a', {})) },
    'hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
  ],

  [
    'what is usual',
    'baseline',
    {
      securityContext: { seLinuxOptions: { type: 'container_t', level: 's0' }, appArmorProfile: { type: 'Localhost' }, runAsUser: null },
      volumes: [{ name: 'v', emptyDir: {} }],
      ...spec(
        container(
          'a',
          { privileged: false, windowsOptions: { hostProcess: false }, appArmorProfile: { type: 'RuntimeDefault' } },
          { ports: [{ containerPort: 1, hostPort: 0 }, { containerPort: 2 }] },
        ),
      ),
    },
    '',
    undefined,
    {
      ...Object.fromEntries(
        ['runtime/default', 'localhost/x', ''].map((value, at) => [`container.apparmor.security.beta.kubernetes.io/${at}`, value]),
      ),
      other: 'x',
    },
  ],
  [
    'a user of SELinux',
    'baseline',
    spec(container('a', { seLinuxOptions: { user: 'u' } })),
    'seLinuxOptions (container "a" set forbidden securityContext.seLinuxOptions: user may not be set)',
  ],
  [
    'usual annotations, long ago',
    'baseline',
    spec(container('a', {}), container('b', {})),
    '',
    18,
    {
      'seccomp.security.alpha.kubernetes.io/pod': 'runtime/default',
      'container.seccomp.security.alpha.kubernetes.io/a': 'docker/default',
      'container.seccomp.security.alpha.kubernetes.io/b': 'localhost/x',
    },
  ],

  ['a good pod', 'restricted', spec(container('a', { ...good, runAsUser: 1 }), container('b', { ...good, runAsUser: null })), ''],
  [
    'unconfined pods, strictly',
    'restricted',
    { securityContext: { seccompProfile: { type: 'Unconfined' } }, ...spec(container('a')) },
    'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
  ],
  [
    'what is left open',
    'restricted',
    spec(container('a', {})),
    'allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), ' +
      'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    'what is left open to the pod',
    'restricted',
    {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'Localhost' } },
      ...spec(container('a', { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } })),
    },
    '',
  ],
  [
    'root by name',
    'restricted',
    { securityContext: { runAsNonRoot: false, runAsUser: 0 }, ...spec(container('a', { ...good, runAsUser: 0 })) },
    'runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod and container "a" must not set runAsUser=0)',
  ],
  ['root of own users', 'restricted', { hostUsers: false, securityContext: { runAsUser: 0 }, ...spec(container('a')) }, ''],
  [
    'added capabilities',
    'restricted',
    spec(container('a', { ...good, capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'KILL'] } })),
    'unrestricted capabilities (container "a" must not include "KILL" in securityContext.capabilities.add)',
  ],
  [
    'volumes',
    'restricted',
    {
      volumes: [
        { name: 'a', nfs: {} },
        { name: 'b', hostPath: { path: '/' } },
        { name: 'c', emptyDir: {} },
      ],
      ...spec(container('a')),
    },
    'restricted volume types (volumes "a", "b" use restricted volume types "hostPath", "nfs")',
  ],
  ['Windows', 'restricted', { os: { name: 'windows' }, ...spec(container('a', { runAsNonRoot: true })) }, ''],
  [
    'the first version',
    'restricted',
    spec(container('a', {})),
    'runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)',
    0,
  ],
];

describe('admission, standards of pods', () => {
  for (const [what, level, pod, expected, minor = Infinity, annotations = {}] of rows) {
    it(`${level}: ${what}`, () => {
      expect(detailsText(violations(subjectOf(pod, annotations), { level, minor }))).to.equal(expected);
    });
  }

  it('reads the labels of namespaces, and warns of what is enforced unless told otherwise', () => {
    const latest = { level: 'baseline', minor: Infinity };
    expect(policyOf(label('enforce', 'baseline'), noPolicy).policy).to.deep.equal({
      enforce: latest,
      warn: latest,
      audit: noPolicy.audit,
    });
    expect(policyOf({ ...label('enforce', 'baseline'), ...label('warn', 'privileged') }, noPolicy).policy.warn).to.deep.equal(
      noPolicy.warn,
    );
    const { policy, findings } = policyOf(
      { ...label('enforce', 'strict'), ...label('warn', 'strict'), ...label('audit-version', '1.2') },
      noPolicy,
    );
    expect([policy.enforce.level, policy.warn.level, findings.length]).to.deep.equal(['restricted', 'privileged', 3]);
  });

  it('warns as much as it enforces where the namespace says so, else as by default', () => {
    const strict = { level: 'restricted', minor: 28 } as const;
    const baseline = label('enforce', 'baseline');
    const rows = [
      [{ ...baseline, ...label('enforce-version', 'v1.30') }, noPolicy, 'baseline 30'],
      [{ ...baseline, ...label('warn-version', 'v1.29') }, noPolicy, 'baseline 29'],
      [{ ...baseline, ...label('warn-version', 'latest') }, noPolicy, 'baseline Infinity'],
      [baseline, { ...noPolicy, warn: strict }, 'restricted 28'],
      [label('enforce', 'restricted'), { ...noPolicy, warn: strict }, 'restricted 28'],
      [label('warn-version', 'v2.29'), { ...noPolicy, warn: strict }, 'restricted Infinity'],
      [{}, { ...noPolicy, enforce: strict }, 'privileged Infinity'],
    ] as const;
    for (const [labels, defaults, expected] of rows) {
      const { level, minor } = policyOf(labels, defaults).policy.warn;
      expect(`${level} ${minor}`, JSON.stringify(labels)).to.equal(expected);
    }
  });

  it('takes exemptions and defaults from its configuration, and refuses what it does not understand', () => {
    const head = { apiVersion: 'pod-security.admission.config.k8s.io/v1', kind: 'PodSecurityConfiguration' };
    const rules = podSecurityRules({
      ...head,
      defaults: { enforce: 'baseline', 'enforce-version': 'v1.30' },
      exemptions: { namespaces: ['n'] },
    });
    expect([rules.defaults.enforce, [...rules.namespaces], [...rules.users]]).to.deep.equal([{ level: 'baseline', minor: 30 }, ['n'], []]);
    expect(() => podSecurityRules({ ...head, defaults: { enforce: 'low' } })).to.throw('must be a level');
    expect(() => podSecurityRules({ kind: 'Other' })).to.throw('PodSecurityConfiguration');
    expect(() => podSecurityRules({ ...head, defaults: { enforced: 'restricted' } })).to.throw('defaults.enforced is unknown');
    expect(() => podSecurityRules({ ...head, exemptions: { namespace: ['n'] } })).to.throw('exemptions.namespace is unknown');
    expect(() => podSecurityRules({ ...head, exemptions: { namespaces: 'n' } })).to.throw('exemptions.namespaces must be a list');
  });

  describe('in a namespace', () => {
    let sample: Sample;
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'default' } };
    const demand = (labels: Record<string, string>): Promise<unknown> =>
      sample.update(namespace, (current) => {
        current.metadata.labels = labels;
      });
    const pod = (name: string, security: JsonObject): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { serviceAccountName: 'sa', automountServiceAccountToken: false, ...spec(container('c', security)) },
    });

    beforeEach(async () => {
      sample = await createSample({ admission: true });
      await sample.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'sa' } });
    });

    it('refuses pods, and only warns those who would make them', async () => {
      await demand(label('enforce', 'baseline'));
      const error = await refusal(sample.create(pod('p', { privileged: true })));
      expect([error.code, error.message]).to.deep.equal([
        403,
        'pods "p" is forbidden: violates PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)',
      ]);
      sample.warnings();
      const template = { metadata: { labels: { a: 'b' } }, spec: spec(container('c', { privileged: true })) };
      await sample.create({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'd' },
        spec: { selector: { matchLabels: { a: 'b' } }, template },
      });
      expect(sample.warnings()).to.deep.equal([
        'would violate PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)',
      ]);
    });

    it('names pods that are already there when it gets stricter, and lets them be until their image changes', async () => {
      for (const name of ['b', 'a']) await sample.create(pod(name, { privileged: true }));
      sample.warnings();
      await demand(label('enforce', 'baseline'));
      expect(sample.warnings()).to.deep.equal([
        'existing pods in namespace "default" violate the new PodSecurity enforce level "baseline:latest"',
        'a (and 1 other pod): privileged',
      ]);
      const change = (image: string): Promise<unknown> =>
        sample.update(pod('a', {}), (current) => {
          current.metadata.labels = { x: 'y' };
          ((current['spec'] as { containers: JsonObject[] }).containers[0] ?? {})['image'] = image;
        });
      await change('i');
      expect((await refusal(change('other'))).code).to.equal(403);
    });

    it('refuses labels that it cannot read, but lets old ones be', async () => {
      const error = await refusal(demand(label('warn', 'none')));
      expect([error.code, error.details?.causes?.[0]?.field]).to.deep.equal([422, 'metadata.labels[pod-security.kubernetes.io/warn]']);
    });
  });
});

describe('what is reported of standards', () => {
  const pods = createCatalogue().resource('', 'v1', 'pods')!;
  const deployments = createCatalogue().resource('apps', 'v1', 'deployments')!;
  const namespaces = createCatalogue().resource('', 'v1', 'namespaces')!;
  const rules = {
    ...podSecurityRules(null),
    namespaces: new Set(['free']),
    users: new Set(['root']),
    runtimeClasses: new Set(['vm']),
  };
  let there: JsonObject[] = [];
  /** A request's refusal, audit annotations, warnings and counts. */
  async function reported(
    labels: Record<string, string>,
    object: JsonObject,
    more: Partial<AdmissionRequest> = {},
  ): Promise<{ refused: boolean; audit: Record<string, string>; warnings: string[]; counts: string[] }> {
    const audit: Record<string, string> = {};
    const warnings: string[] = [];
    const counts: string[] = [];
    const lookup = { find: () => Promise.resolve({ metadata: { name: 'n', labels } }), list: () => Promise.resolve(there) };
    const plugin = podSecurity(lookup as never, rules, {
      evaluated: (decision, mode, { level }) => counts.push(`${decision} ${mode} ${level}`),
      exempted: () => counts.push('exempted'),
    });
    const request = {
      operation: 'CREATE',
      resource: pods,
      subresource: '',
      namespace: 'n',
      name: 'p',
      object: { metadata: {}, ...object },
      old: null,
      user: { name: 'ann', uid: '', groups: [], extra: {} },
      warn: (text: string) => warnings.push(text),
      annotate: (key: string, text: string) => {
        audit[key.replace('pod-security.kubernetes.io/', '')] = text;
      },
      ...more,
    } as unknown as AdmissionRequest;
    const refused = await Promise.resolve(plugin.validate?.(request)).then(
      () => false,
      () => true,
    );
    return { refused, audit, warnings, counts };
  }
  const privileged = { spec: spec(container('a', { privileged: true })) };
  const fine = { spec: spec(container('a')) };

  it('is in the audit event, whatever is enforced', async () => {
    expect(await reported({ ...label('enforce', 'baseline'), ...label('audit', 'restricted') }, privileged)).to.deep.include({
      refused: true,
      counts: ['deny enforce baseline', 'deny audit restricted'],
    });
    const { audit, refused, warnings } = await reported(label('audit', 'baseline'), privileged);
    expect([refused, warnings]).to.deep.equal([false, []]);
    expect(audit).to.deep.equal({
      'enforce-policy': 'privileged:latest',
      'audit-violations':
        'would violate PodSecurity "baseline:latest": privileged (container "a" must not set securityContext.privileged=true)',
    });
  });

  it('is little of what is let in', async () => {
    expect(await reported(label('enforce', 'restricted'), fine)).to.deep.equal({
      refused: false,
      audit: { 'enforce-policy': 'restricted:latest' },
      warnings: [],
      counts: ['allow enforce restricted'],
    });
    expect((await reported({}, privileged)).counts).to.deep.equal(['allow enforce privileged']);
  });

  it('is the same of what pods are made of, which nothing is enforced of', async () => {
    const { refused, audit, warnings, counts } = await reported(
      { ...label('enforce', 'baseline'), ...label('audit', 'baseline') },
      { spec: { template: privileged } },
      { resource: deployments },
    );
    expect([refused, Object.keys(audit), warnings.length, counts]).to.deep.equal([
      false,
      ['audit-violations'],
      1,
      ['deny audit baseline', 'deny warn baseline'],
    ]);
  });

  it('is why nobody looked', async () => {
    const enforced = label('enforce', 'restricted');
    const why = async (more: Partial<AdmissionRequest>, object: JsonObject = privileged): Promise<unknown> => {
      const { refused, audit, counts } = await reported(enforced, object, more);
      return [refused, audit, counts];
    };
    const exempt = (reason: string): unknown => [false, { exempt: reason }, ['exempted']];
    expect(await why({ namespace: 'free' })).to.deep.equal(exempt('namespace'));
    expect(await why({ user: { name: 'root', uid: '', groups: [], extra: {} } })).to.deep.equal(exempt('user'));
    const isolated = { spec: { ...privileged.spec, runtimeClassName: 'vm' } };
    expect(await why({}, isolated)).to.deep.equal(exempt('runtimeClass'));
    const made = { resource: deployments };
    const template = { spec: { template: isolated } };
    for (const more of [made, { ...made, namespace: 'free' }])
      expect(await why(more, template)).to.deep.equal(exempt(more === made ? 'runtimeClass' : 'namespace'));
    const nothing = [false, {}, []];
    for (const more of [{ subresource: 'exec' }, { object: null }, { ...made, subresource: 'scale' }, made])
      expect(await why(more)).to.deep.equal(nothing);
  });

  it('is as much of warnings of pods, and of annotations of what they are made of', async () => {
    const { refused, warnings, counts } = await reported(label('warn', 'baseline'), privileged);
    expect([refused, warnings.length, counts]).to.deep.equal([false, 1, ['allow enforce privileged', 'deny warn baseline']]);
    const annotations = { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' };
    const old = { ...label('warn', 'baseline'), ...label('warn-version', 'v1.18') };
    expect(
      (await reported(old, { spec: { template: { metadata: { annotations }, ...fine } } }, { resource: deployments })).warnings,
    ).to.deep.equal([
      'would violate PodSecurity "baseline:v1.18": seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    ]);
  });

  it('is about updates that change an image, a container or its annotation', async () => {
    const image = (name: string): JsonObject => container('a', { privileged: true }, { image: name });
    const seccomp = (value: string): JsonObject => ({ annotations: { 'container.seccomp.security.alpha.kubernetes.io/a': value } });
    const debugged = (...ephemeralContainers: JsonObject[]): JsonObject => ({ spec: { ...fine.spec, ephemeralContainers } });
    const updates: readonly (readonly [what: string, before: JsonObject, after: JsonObject, looked: boolean])[] = [
      ['labels', { spec: spec(image('i')) }, { metadata: { labels: { a: 'b' } }, spec: spec(image('i')) }, false],
      ['an image', { spec: spec(image('i')) }, { spec: spec(image('j')) }, true],
      ['an annotation', { metadata: seccomp('x'), spec: spec(image('i')) }, { metadata: seccomp('y'), spec: spec(image('i')) }, true],
      ['a container less', { spec: spec(image('i'), image('j')) }, { spec: spec(image('i')) }, true],
      ['the same one for debugging', debugged(image('i')), debugged(image('i')), false],
      ['another image for debugging', debugged(image('i')), debugged(image('j')), true],
      ['another one for debugging', debugged(image('i')), debugged(container('b', { privileged: true }), image('i')), true],
    ];
    for (const [what, before, after, looked] of updates) {
      const more = { operation: 'UPDATE', old: { metadata: {}, ...before } } as unknown as AdmissionRequest;
      expect((await reported(label('enforce', 'baseline'), after, more)).refused, what).to.equal(looked);
    }
  });

  it('is said of namespaces that get stricter, and of exempt ones', async () => {
    const baseline = label('enforce', 'baseline');
    const older = label('enforce-version', 'v1.30');
    there = ['c', 'a', 'b'].map((name) => ({ metadata: { name }, ...privileged }));
    there.push({ metadata: { name: 'd' }, spec: { hostPID: true } }, { metadata: { name: 'e' }, ...fine });
    const violating = (version: string): string[] => [
      `existing pods in namespace "p" violate the new PodSecurity enforce level "baseline:${version}"`,
      'a (and 2 other pods): privileged',
      'd: host namespaces',
    ];
    const exempt = (policy: string): string[] => [
      `namespace "free" is exempt from Pod Security, and the policy (${policy}) will be ignored`,
    ];
    const rows: readonly (readonly [
      before: Record<string, string> | null,
      after: Record<string, string>,
      expected: readonly string[],
      more?: JsonObject,
    ])[] = [
      [{}, baseline, violating('latest')],
      [baseline, { ...baseline, ...older }, violating('v1.30')],
      [{}, label('enforce', 'privileged'), []],
      [baseline, { ...baseline, other: 'x' }, []],
      [label('enforce', 'restricted'), baseline, []],
      [baseline, {}, []],
      [null, baseline, []],
      [{}, baseline, [], { subresource: 'status' }],
      [
        null,
        { ...baseline, ...label('warn', 'restricted'), ...label('audit', 'privileged') },
        exempt('enforce=baseline:latest, warn=restricted:latest'),
        { name: 'free' },
      ],
      [{}, { ...baseline, ...older }, exempt('enforce=baseline:v1.30'), { name: 'free' }],
      [null, {}, [], { name: 'free' }],
    ];
    for (const [before, after, expected, more = {}] of rows) {
      const old = before === null ? null : { metadata: { labels: before } };
      const { warnings } = await reported({}, { metadata: { labels: after } }, {
        resource: namespaces,
        old,
        ...more,
      } as unknown as AdmissionRequest);
      expect(warnings, JSON.stringify([before, after, more])).to.deep.equal(expected);
    }
    there = Array.from({ length: 3001 }, (_, at) => ({ metadata: { name: `p${at}` }, ...fine }));
    const stricter = { resource: namespaces, old: { metadata: {} } } as unknown as AdmissionRequest;
    const checked = async (): Promise<string[]> => (await reported({}, { metadata: { labels: baseline } }, stricter)).warnings;
    expect(await checked()).to.deep.equal(['new PodSecurity enforce level only checked against the first 3000 of 3001 existing pods']);
    there.pop();
    expect(await checked()).to.deep.equal([]);
    there = [];
  });

  it('is counted by level and version, for pods and what makes them', async () => {
    const registry = new Registry();
    const counts = createPodSecurityMetrics(registry);
    const request = { operation: 'CREATE', resource: deployments, subresource: '' } as unknown as AdmissionRequest;
    counts.evaluated('deny', 'warn', { level: 'baseline', minor: 30 }, request);
    counts.exempted({ ...request, resource: pods });
    const shown = await registry.metrics();
    for (const line of [
      'pod_security_evaluations_total{decision="deny",policy_level="baseline",policy_version="v1.30",mode="warn",request_operation="create",resource="controller",subresource=""} 1',
      'pod_security_evaluations_total{decision="allow",policy_level="privileged",policy_version="latest",mode="enforce",resource="pod",subresource="",request_operation="update"} 0',
      'pod_security_exemptions_total{request_operation="create",resource="pod",subresource=""} 1',
      'pod_security_exemptions_total{request_operation="update",resource="controller",subresource=""} 0',
    ])
      expect(shown).to.contain(line);
  });
});
