import { Target } from './target.js';
import { applyPatch, expectAnswer, jsonPatch, mergePatch, strategicPatch, tryAll, type Try } from './tries.js';

const safe = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};
const pod = (spec: object, security: object = {}, metadata: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'x', ...metadata },
  spec: { containers: [{ name: 'c', image: 'i', securityContext: { ...safe, ...security } }], ...spec },
});
const beside = (kind: 'initContainers' | 'containers', security: object): object => ({
  [kind]: [
    ...(kind === 'containers' ? [{ name: 'c', image: 'i', securityContext: safe }] : []),
    { name: 'd', image: 'i', securityContext: security },
  ],
});
const volume = (source: object): object => ({ volumes: [{ name: 'v', ...source }] });

/** Forbidden by "baseline". */
const dangerous: Readonly<Record<string, object>> = {
  privileged: pod({}, { privileged: true, allowPrivilegeEscalation: undefined }),
  'privileged at first': pod(beside('initContainers', { privileged: true })),
  'privileged beside a good one': pod(beside('containers', { privileged: true })),
  'the network of the host': pod({ hostNetwork: true }),
  'the processes of the host': pod({ hostPID: true }),
  'the memory of the host': pod({ hostIPC: true }),
  'a port of the host': pod({ containers: [{ name: 'c', image: 'i', securityContext: safe, ports: [{ containerPort: 1, hostPort: 1 }] }] }),
  'files of the host': pod(volume({ hostPath: { path: '/' } })),
  'a capability': pod({}, { capabilities: { drop: ['ALL'], add: ['SYS_ADMIN'] } }),
  'all capabilities': pod({}, { capabilities: { add: ['ALL'] } }),
  'unconfined system calls': pod({}, { seccompProfile: { type: 'Unconfined' } }),
  'unconfined system calls for all': pod({ securityContext: { seccompProfile: { type: 'Unconfined' } } }),
  'unconfined by AppArmor': pod({}, { appArmorProfile: { type: 'Unconfined' } }),
  'unconfined by AppArmor, in the old words': pod(
    {},
    {},
    { annotations: { 'container.apparmor.security.beta.kubernetes.io/c': 'unconfined' } },
  ),
  'a role of SELinux': pod({}, { seLinuxOptions: { role: 'sysadm_r' } }),
  'a type of SELinux': pod({}, { seLinuxOptions: { type: 'spc_t' } }),
  'a kernel setting': pod({ securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } }),
  'a process of a Windows host': pod({ hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } }),
  'a probe at another host': pod({
    containers: [{ name: 'c', image: 'i', securityContext: safe, livenessProbe: { httpGet: { port: 1, host: '169.254.169.254' } } }],
  }),
};
/** Forbidden only by "restricted". */
const lax: Readonly<Record<string, object>> = {
  'more rights by set-uid': pod({}, { allowPrivilegeEscalation: true }),
  'more rights by saying nothing': pod({ containers: [{ name: 'c', image: 'i' }] }),
  root: pod({}, { runAsUser: 0 }),
  'root for all': pod({ securityContext: { runAsUser: 0 } }),
  'perhaps root': pod({}, { runAsNonRoot: false }),
  'capabilities that are kept': pod({}, { capabilities: {} }),
  'a capability beside the one that is free': pod({}, { capabilities: { drop: ['ALL'], add: ['NET_BIND_SERVICE', 'CHOWN'] } }),
  'system calls that nobody confines': pod({}, { seccompProfile: undefined }),
  'a disk of the network by address': pod(volume({ nfs: { server: 's', path: '/' } })),
  'a block device': pod(volume({ iscsi: { targetPortal: 'p', iqn: 'iqn.2001-04.com.example:x', lun: 0 } })),
  'root at first': pod(beside('initContainers', { ...safe, runAsUser: 0 })),
  'one without care beside a good one': pod(beside('containers', {})),
};

/** Pods that a namespace's standard forbids are refused at every entry. */
describe('attacks/podSecurity', function () {
  let target: Target;
  const path = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
  before(async () => {
    target = await Target.start();
    for (const level of ['baseline', 'restricted']) {
      await target.namespace(level, { 'pod-security.kubernetes.io/enforce': level });
      await target.admin.expect(201, 'POST', `/api/v1/namespaces/${level}/serviceaccounts`, { body: { metadata: { name: 'default' } } });
      await target.admin.expect(201, 'POST', path(level), { body: pod({}, {}, { name: 'good' }) });
    }
  });
  after(async () => {
    await target?.stop();
  });

  const post = (what: string, namespace: string, body: object, status: Try['status'] = 403): Try => ({
    what,
    method: 'POST',
    path: path(namespace),
    body,
    status,
    ...(status === 403 ? { says: /violates PodSecurity/ } : {}),
  });
  describe('baseline', () => {
    tryAll(
      () => target.admin,
      [
        ...Object.entries(dangerous).map(([what, body]) => post(what, 'baseline', body)),
        post('leaves what is lax', 'baseline', { ...lax['root'], metadata: { name: 'lax' } }, 201),
      ],
    );
  });
  describe('restricted', () => {
    tryAll(
      () => target.admin,
      Object.entries({ ...dangerous, ...lax }).map(([what, body]) => post(what, 'restricted', body)),
    );
  });

  describe('other doors', () => {
    const privileged = dangerous['privileged'] as { readonly spec: object };
    const [namespace, good] = ['restricted', `${path('restricted')}/good`];
    const ephemeral = { ephemeralContainers: [{ name: 'e', image: 'i', securityContext: { privileged: true } }] };
    tryAll(
      () => target.admin,
      [
        {
          what: 'apply that makes',
          method: 'PATCH',
          path: `${path(namespace)}/x?fieldManager=m`,
          type: applyPatch,
          body: privileged,
          status: 403,
        },
        { what: 'only to try', method: 'POST', path: `${path(namespace)}?dryRun=All`, body: privileged, status: 403 },
        {
          what: 'a generated name',
          method: 'POST',
          path: path(namespace),
          body: { ...privileged, metadata: { generateName: 'x-' } },
          status: 403,
        },
        {
          what: 'another namespace in the body',
          method: 'POST',
          path: path(namespace),
          body: { ...privileged, metadata: { name: 'x', namespace: 'default' } },
          status: 400,
        },
        {
          what: 'a label on the pod that says otherwise',
          method: 'POST',
          path: path(namespace),
          body: { ...privileged, metadata: { name: 'x', labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } },
          status: 403,
        },
        {
          what: 'an ephemeral container by a strategic patch',
          method: 'PATCH',
          path: `${good}/ephemeralcontainers`,
          type: strategicPatch,
          body: { spec: ephemeral },
          status: 403,
        },
        {
          what: 'an ephemeral container by a merge patch',
          method: 'PATCH',
          path: `${good}/ephemeralcontainers`,
          type: mergePatch,
          body: { spec: ephemeral },
          status: 403,
        },
        {
          what: 'an ephemeral container by a JSON patch',
          method: 'PATCH',
          path: `${good}/ephemeralcontainers`,
          type: jsonPatch,
          body: [{ op: 'add', path: '/spec/ephemeralContainers', value: ephemeral.ephemeralContainers }],
          status: 403,
        },
        {
          what: 'an ephemeral container in the pod itself',
          method: 'PATCH',
          path: good,
          type: mergePatch,
          body: { spec: ephemeral },
          status: [403, 422],
        },
        {
          what: 'an ephemeral container through the status',
          method: 'PATCH',
          path: `${good}/status`,
          type: mergePatch,
          body: { spec: ephemeral },
          status: [200, 403, 422],
          neverSays: /"privileged":true/,
        },
        {
          what: 'more rights through the size',
          method: 'PATCH',
          path: `${good}/resize`,
          type: strategicPatch,
          body: { spec: { containers: [{ name: 'c', securityContext: { privileged: true } }] } },
          status: [200, 400, 403, 422],
          neverSays: /"privileged":true/,
        },
      ],
    );
    it('checks templates, but stops them only as pods', async () => {
      const labels = { app: 'x' };
      const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: privileged.spec } };
      await expectAnswer(target.admin, {
        what: 'deployment',
        method: 'POST',
        path: `/apis/apps/v1/namespaces/${namespace}/deployments`,
        body: { metadata: { name: 'd' }, spec },
        status: 201,
      });
    });
  });

  describe('secrets that an account may not hand to its pods (CVE-2023-2728)', () => {
    const [closed, containers] = [path('closed'), [{ name: 'c', image: 'i' }]];
    const from = { env: [{ name: 'a', valueFrom: { secretKeyRef: { name: 'unlisted', key: 'k' } } }] };
    const tight = (spec: object): object => ({
      metadata: { name: 'p' },
      spec: { serviceAccountName: 'tight', automountServiceAccountToken: false, containers, ...spec },
    });
    before(async () => {
      await target.namespace('closed');
      await target.admin.expect(201, 'POST', '/api/v1/namespaces/closed/serviceaccounts', {
        body: {
          metadata: { name: 'tight', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
          secrets: [{ name: 'listed' }],
        },
      });
    });
    tryAll(
      () => target.admin,
      [
        { what: 'in a volume', method: 'POST', path: closed, body: tight(volume({ secret: { secretName: 'unlisted' } })), status: 403 },
        {
          what: 'in the environment',
          method: 'POST',
          path: closed,
          body: tight({ containers: [{ ...containers[0], ...from }] }),
          status: 403,
        },
        {
          what: 'in the environment at first',
          method: 'POST',
          path: closed,
          body: tight({ initContainers: [{ name: 'd', image: 'i', ...from }] }),
          status: 403,
        },
        { what: 'for images', method: 'POST', path: closed, body: tight({ imagePullSecrets: [{ name: 'unlisted' }] }), status: 403 },
        { what: 'lets a pod without them in', method: 'POST', path: closed, body: tight({}), status: 201 },
        {
          what: 'in an ephemeral container',
          method: 'PATCH',
          path: `${closed}/p/ephemeralcontainers`,
          type: strategicPatch,
          body: { spec: { ephemeralContainers: [{ name: 'e', image: 'i', ...from }] } },
          status: 403,
        },
      ],
    );
  });
});
