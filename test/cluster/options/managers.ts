import { expect } from 'chai';
import { createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { startHookService, type HookService } from '../../fixtures/hookService.js';
import { signingRequest } from '../../fixtures/signingRequest.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import type { Answer } from '../../fixtures/frontDoor.js';
import { createIdentities, type Identities } from '../../fixtures/identities.js';
import { BundledProgram, eventually } from './bundledProgram.js';
import { kubeconfigOf } from './managerUnderProbe.js';
import { MostAtOnce } from './mostAtOnce.js';
import { workers } from './asserted.js';
import { probesOf } from './probed.js';
import { ServerUnderProbe } from './serverUnderProbe.js';

const probe = probesOf('controller-manager');
const each = 6;
const names = Array.from({ length: each }, (_, index) => `n${index}`);

const container = { name: 'c', image: 'i' };
const labels = (app: string): { readonly metadata: object; readonly spec: object } => ({
  metadata: { labels: { app } },
  spec: { containers: [container] },
});
const inDefault = (group: string, resource: string): string => `${group}/namespaces/default/${resource}`;

/** Work for every controller with several workers, created before the manager. */
async function seed(server: ServerUnderProbe): Promise<void> {
  const make = async (at: string, body: object): Promise<Answer> => {
    const answer = await server.post(at, body);
    expect(answer.status, `${at}: ${answer.text}`).to.equal(201);
    return answer;
  };
  const set = async (method: string, at: string, body: object): Promise<void> => {
    const answer = await server.send(method, at, body);
    expect(answer.status, `${at}: ${answer.text}`).to.be.below(300);
  };
  const [core, apps, batch] = ['/api/v1', '/apis/apps/v1', '/apis/batch/v1'];
  const past = new Date(Date.now() - 180_000).toISOString().replace(/\.\d+/, '');
  await make(inDefault('/apis/policy/v1', 'poddisruptionbudgets'), { metadata: { name: 'idle' }, spec: { minAvailable: 1 } });
  for (const name of names) {
    const selector = { matchLabels: { app: name } };
    const metadata = { name };
    await make(inDefault(apps, 'daemonsets'), { metadata, spec: { selector, template: labels(name) } });
    await make(inDefault(apps, 'deployments'), { metadata, spec: { replicas: 1, selector, template: labels(name) } });
    await make(inDefault(apps, 'statefulsets'), { metadata, spec: { serviceName: 'x', selector, template: labels(name) } });
    await make(inDefault(apps, 'replicasets'), {
      metadata,
      spec: { replicas: 1, selector: { matchLabels: { app: `rs-${name}` } }, template: labels(`rs-${name}`) },
    });
    await make(inDefault(core, 'replicationcontrollers'), {
      metadata,
      spec: { replicas: 1, selector: { app: `rc-${name}` }, template: labels(`rc-${name}`) },
    });
    await make(inDefault(core, 'services'), { metadata: { name: `s${name}` }, spec: { selector: { app: name }, ports: [{ port: 80 }] } });
    await make(inDefault(core, 'services'), { metadata: { name: `m${name}` }, spec: { ports: [{ port: 80 }] } });
    await make(inDefault(core, 'endpoints'), {
      metadata: { name: `m${name}` },
      subsets: [{ addresses: [1, 2, 3, 4, 5].map((n) => ({ ip: `10.1.0.${n}` })), ports: [{ port: 80 }] }],
    });
    const claim = {
      metadata: {},
      spec: { storageClassName: 'nobody', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } },
    };
    await make(inDefault(core, 'pods'), {
      metadata: { name: `e${name}` },
      spec: { containers: [container], volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: claim } }] },
    });
    await make(inDefault(core, 'configmaps'), {
      metadata: { name: `g${name}`, ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: `gone-${name}` }] },
    });
    await make('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
      metadata,
      spec: { minReplicas: 2, maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name } },
    });
    await make(inDefault(batch, 'jobs'), { metadata, spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } } });
    await make(inDefault(batch, 'jobs'), {
      metadata: { name: `t${name}` },
      spec: { ttlSecondsAfterFinished: 0, template: { spec: { containers: [container], restartPolicy: 'Never' } } },
    });
    const done = { status: 'True', lastTransitionTime: past, lastProbeTime: past };
    await set('PATCH', `${inDefault(batch, 'jobs')}/t${name}/status`, {
      status: {
        startTime: past,
        completionTime: past,
        succeeded: 1,
        uncountedTerminatedPods: {},
        conditions: [
          { type: 'SuccessCriteriaMet', ...done },
          { type: 'Complete', ...done },
        ],
      },
    });
    await make(inDefault(batch, 'cronjobs'), {
      metadata,
      spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { containers: [container], restartPolicy: 'Never' } } } } },
    });
    await set('PATCH', `${inDefault(batch, 'cronjobs')}/${name}/status`, { status: { lastScheduleTime: past } });
    await make(`${core}/namespaces`, { metadata: { name: `ns-${name}` } });
    await make(`${core}/namespaces/ns-${name}/configmaps`, { metadata });
    await server.ask({ method: 'DELETE', path: `${core}/namespaces/ns-${name}` });
    await make(inDefault(core, 'resourcequotas'), { metadata, spec: { hard: { services: '100' } } });
    await make(inDefault(core, 'serviceaccounts'), { metadata });
    await make(inDefault(core, 'secrets'), {
      metadata: { name, annotations: { 'kubernetes.io/service-account.name': name } },
      type: 'kubernetes.io/service-account-token',
    });
  }
}

const isApproved = (status: unknown): boolean =>
  ((status as { readonly conditions?: readonly { readonly type: string }[] } | undefined)?.conditions ?? []).some(
    ({ type }) => type === 'Approved',
  );

/** Workers, leases, and effects of controllers' options on single objects. */
export function managers(): void {
  describe('a controller manager with few workers and settings of its own', function () {
    let server: ServerUnderProbe;
    let manager: BundledProgram;
    let identities: Identities;
    let hook: HookService;
    let counter: MostAtOnce;
    let signers: Record<string, Identities>;
    let publicKey: string;
    const folder = temporaryDirectory('manager');
    const write = (name: string, text: string): string => {
      fs.writeFileSync(path.join(folder, name), text);
      return path.join(folder, name);
    };
    const get = (at: string): Promise<Answer> => server.ask(at);

    before(async function () {
      identities = await createIdentities();
      hook = await startHookService(identities);
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const key = write('sa.key', privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
      publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString();
      server = await ServerUnderProbe.start(identities, [
        '--disable-admission-plugins=ServiceAccount',
        '--service-account-issuer=https://cluster.test',
        `--service-account-key-file=${write('sa.pub', publicKey)}`,
        `--service-account-signing-key-file=${key}`,
        '--max-requests-inflight=1000',
      ]);
      await seed(server);
      counter = new MostAtOnce(
        hook,
        (request) => {
          const { username } = request['userInfo'] as { readonly username: string };
          const { resource } = request['resource'] as { readonly resource: string };
          return `${username.split(':').at(-1)} ${resource}`;
        },
        (key) => workers.find(([, , account, resource]) => `${account} ${resource}` === key)?.[1] ?? 1,
      );
      const counted = [...new Set(workers.map(([, , , resource]) => resource)), 'resourcequotas/status', 'deployments/scale'];
      const made = await server.post(
        '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
        counter.configuration(
          counted.filter((resource) => !['deployments', 'resourcequotas'].includes(resource)),
          ['CREATE', 'UPDATE', 'DELETE'],
        ),
      );
      expect(made.status, made.text).to.equal(201);
      signers = {};
      for (const signer of ['kube-apiserver-client', 'kubelet-client', 'kubelet-serving', 'legacy-unknown'])
        signers[signer] = await createIdentities(signer);
      const drivers = path.join(folder, 'flex', 'vendor~driver');
      fs.mkdirSync(drivers, { recursive: true });
      fs.writeFileSync(path.join(drivers, 'driver'), '#!/bin/sh\n', { mode: 0o755 });
      const template = (mark: string): string =>
        write(
          `${mark}.yaml`,
          `apiVersion: v1\nkind: Pod\nmetadata: { name: recycler, namespace: default, labels: { mark: ${mark} } }\nspec:\n  restartPolicy: Never\n  volumes: [{ name: vol, hostPath: { path: /any } }]\n  containers: [{ name: c, image: i, volumeMounts: [{ name: vol, mountPath: /scrub }] }]\n`,
        );
      manager = BundledProgram.start('controller-manager', [
        `--kubeconfig=${kubeconfigOf(server, folder)}`,
        '--secure-port=0',
        '--use-service-account-credentials',
        '--kube-api-qps=-1',
        ...workers.map(([option, atOnce]) => `--${option}=${atOnce}`),
        '--leader-elect-resource-name=chosen',
        '--leader-elect-resource-namespace=default',
        '--leader-elect-lease-duration=30s',
        '--leader-elect-renew-deadline=16s',
        '--leader-elect-retry-period=3s',
        '--enable-leader-migration',
        `--leader-migration-config=${write(
          'migration.yaml',
          'apiVersion: controllermanager.config.k8s.io/v1alpha1\nkind: LeaderMigrationConfiguration\nleaderName: moving\nresourceLock: leases\ncontrollerLeaders:\n- { name: ttl-after-finished-controller, component: kube-controller-manager }\n- { name: ttl-controller, component: another-manager }\n',
        )}`,
        '--controllers=-disruption,*,disruption-controller',
        '--horizontal-pod-autoscaler-sync-period=500ms',
        '--max-endpoints-per-slice=2',
        '--mirroring-max-endpoints-per-subset=2',
        '--terminated-pod-gc-threshold=1',
        '--allocate-node-cidrs',
        '--cluster-cidr=10.60.0.0/16,fd00:60::/64',
        '--service-cluster-ip-range=10.60.0.0/26',
        '--node-cidr-mask-size-ipv4=26',
        '--node-cidr-mask-size-ipv6=72',
        '--node-monitor-grace-period=2s',
        '--node-startup-grace-period=2s',
        '--node-monitor-period=500ms',
        `--root-ca-file=${identities.caFile}`,
        `--service-account-private-key-file=${key}`,
        ...Object.entries(signers).flatMap(([signer, { caFile, directory }]) => [
          `--cluster-signing-${signer}-cert-file=${caFile}`,
          `--cluster-signing-${signer}-key-file=${path.join(directory, 'ca.key')}`,
        ]),
        '--cluster-signing-duration=2h',
        '--enable-hostpath-provisioner',
        `--flex-volume-plugin-dir=${path.join(folder, 'flex')}`,
        '--pv-recycler-minimum-timeout-hostpath=7',
        '--pv-recycler-timeout-increment-hostpath=5',
        `--pv-recycler-pod-template-filepath-hostpath=${template('hostpath')}`,
        '--pv-recycler-minimum-timeout-nfs=9',
        '--pv-recycler-increment-timeout-nfs=6',
        `--pv-recycler-pod-template-filepath-nfs=${template('nfs')}`,
      ]);
    });
    after(async () => {
      await manager?.stop();
      await server?.stop();
      hook?.close();
    });

    probe('leader-elect', async () => {
      const lease = async (): Promise<{ leaseDurationSeconds?: number; renewTime?: string }> =>
        ((await get('/apis/coordination.k8s.io/v1/namespaces/default/leases/chosen')).body['spec'] ?? {}) as object;
      const first = await eventually(lease, ({ renewTime }) => renewTime !== undefined);
      expect(first.leaseDurationSeconds).to.equal(30);
      const second = await eventually(lease, ({ renewTime }) => renewTime !== first.renewTime);
      expect(Date.parse(second.renewTime!) - Date.parse(first.renewTime!), 'not the usual two seconds').to.be.at.least(2_900);
    });
    probe('enable-leader-migration', async () => {
      await eventually(
        () => get('/apis/coordination.k8s.io/v1/namespaces/default/leases/moving'),
        ({ status }) => status === 200,
      );
      await manager.says(/ttl-after-finished/);
    });
    for (const [option, atOnce, account, resource] of workers)
      probe(option, async () => {
        await eventually(
          () => counter.most(`${account} ${resource}`),
          (most) => most >= atOnce,
        );
        expect(counter.most(`${account} ${resource}`)).to.equal(atOnce);
      });
    probe('kubeconfig', () => {
      expect(counter.keys).to.not.deep.equal([]);
      return Promise.resolve();
    });
    probe('use-service-account-credentials', () => {
      expect(counter.keys).to.include('job-controller pods');
      return Promise.resolve();
    });
    probe('max-endpoints-per-slice', async () => {
      await server.post('/api/v1/nodes', { metadata: { name: 'there' } });
      for (const n of [1, 2, 3, 4, 5]) {
        await server.post(inDefault('/api/v1', 'pods'), {
          metadata: { name: `many-${n}`, labels: { app: 'many' } },
          spec: { nodeName: 'there', containers: [container] },
        });
        const set = await server.send('PATCH', `${inDefault('/api/v1', 'pods')}/many-${n}/status`, {
          status: {
            phase: 'Running',
            podIP: `10.2.0.${n}`,
            podIPs: [{ ip: `10.2.0.${n}` }],
            conditions: [{ type: 'Ready', status: 'True' }],
          },
        });
        expect(set.status, set.text).to.equal(200);
      }
      await server.post(inDefault('/api/v1', 'services'), {
        metadata: { name: 'many' },
        spec: { selector: { app: 'many' }, ports: [{ port: 80 }] },
      });
      await slicesOf('many', 5, 3);
    });
    const slicesOf = async (service: string, addresses: number, slices: number): Promise<void> => {
      const found = await eventually(
        async () =>
          (await get(`/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name%3D${service}`))
            .body['items'] as { endpoints: unknown[] | null }[],
        (items) => items.reduce((sum, { endpoints }) => sum + (endpoints?.length ?? 0), 0) === addresses,
      );
      expect(found).to.have.length(slices);
    };
    probe('mirroring-max-endpoints-per-subset', () => slicesOf('mn0', 2, 1));
    probe('horizontal-pod-autoscaler-sync-period', async () => {
      await server.send('PATCH', '/apis/apps/v1/namespaces/default/deployments/n1', { spec: { replicas: 1 } });
      await eventually(
        async () => ((await get('/apis/apps/v1/namespaces/default/deployments/n1')).body['spec'] as { replicas: number }).replicas,
        (replicas) => replicas === 2,
      );
    });
    probe('allocate-node-cidrs', async () => {
      await server.post('/api/v1/nodes', { metadata: { name: 'ranged' } });
      const node = await eventually(
        () => get('/api/v1/nodes/ranged'),
        ({ body }) => (body['spec'] as { podCIDRs?: string[] }).podCIDRs !== undefined,
      );
      expect((node.body['spec'] as { podCIDRs: string[] }).podCIDRs.join()).to.match(
        /^10\.60\.0\.(?:64|128|192)\/26,fd00:60:[0:]*(?:[1-3]00)?::\/72$/,
      );
    });
    probe('node-monitor-grace-period', async () => {
      await eventually(
        () => get('/api/v1/nodes/ranged'),
        ({ body }) =>
          ((body['status'] as { conditions?: { type: string; status: string }[] }).conditions ?? []).some(
            ({ type, status }) => type === 'Ready' && status === 'Unknown',
          ),
      );
    });
    probe('root-ca-file', async () => {
      const map = await eventually(
        () => get('/api/v1/namespaces/default/configmaps/kube-root-ca.crt'),
        ({ status }) => status === 200,
      );
      expect((map.body['data'] as Record<string, string>)['ca.crt']).to.equal(identities.ca);
    });
    probe('service-account-private-key-file', async () => {
      const secret = await eventually(
        () => get('/api/v1/namespaces/default/secrets/n0'),
        ({ body }) => (body['data'] as Record<string, string> | undefined)?.['token'] !== undefined,
      );
      const token = Buffer.from((secret.body['data'] as Record<string, string>)['token']!, 'base64').toString();
      const answer = await server.ask({ path: '/api', identity: null, headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).to.equal(200);
    });
    probe('cluster-signing-kube-apiserver-client-cert-file', async () => {
      const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
      const node = 'system:node:x, O=system:nodes';
      const client = ['client auth', 'digital signature'];
      const asked: readonly (readonly [name: string, signer: string, request: string, usages: readonly string[]])[] = [
        ['kube-apiserver-client', 'kube-apiserver-client', await signingRequest('somebody'), ['client auth']],
        ['kubelet-client', 'kube-apiserver-client-kubelet', await signingRequest(node), client],
        ['kubelet-serving', 'kubelet-serving', await signingRequest(node, ['x.example']), ['server auth', 'digital signature']],
      ];
      for (const [name, signer, request, usages] of asked) {
        const made = await server.post(requests, {
          metadata: { name },
          spec: { request, signerName: `kubernetes.io/${signer}`, usages },
        });
        expect(made.status, made.text).to.equal(201);
      }
      // New requests cannot have this signer, but earlier ones are signed.
      const earlier = {
        apiVersion: 'certificates.k8s.io/v1',
        kind: 'CertificateSigningRequest',
        metadata: { name: 'legacy-unknown', uid: 'from-earlier', creationTimestamp: new Date().toISOString().replace(/\.\d+/, '') },
        spec: { request: await signingRequest('old'), signerName: 'kubernetes.io/legacy-unknown', usages: client, username: 'old' },
      };
      const put = await server.send('PUT', '/raft/v1/objects', {
        objects: [{ group: 'certificates.k8s.io', resource: 'certificatesigningrequests', object: earlier }],
      });
      expect(put.status, put.text).to.equal(200);
      for (const name of [...asked.map(([each]) => each), 'legacy-unknown']) {
        // A controller approves some too, possibly first.
        await eventually(
          async () => {
            const { body } = await get(`${requests}/${name}`);
            if (isApproved(body['status'])) return 200;
            const object = { ...body, status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }] } };
            const approved = await server.send('PUT', `${requests}/${name}/approval`, object);
            expect(approved.status, approved.text).to.be.oneOf([200, 409]);
            return approved.status;
          },
          (status) => status === 200,
        );
        const signed = await eventually(
          () => get(`${requests}/${name}`),
          ({ body }) => (body['status'] as { certificate?: string }).certificate !== undefined,
        );
        const certificate = new X509Certificate(Buffer.from((signed.body['status'] as { certificate: string }).certificate, 'base64'));
        expect(certificate.issuer).to.equal(`CN=${name}`);
        const lifeMs = Date.parse(certificate.validTo) - Date.now();
        expect(lifeMs).to.be.within(6_000_000, 7_200_000);
      }
    });
    probe('enable-hostpath-provisioner', async () => {
      await server.post('/apis/storage.k8s.io/v1/storageclasses', { metadata: { name: 'host' }, provisioner: 'kubernetes.io/host-path' });
      await server.post(inDefault('/api/v1', 'persistentvolumeclaims'), {
        metadata: { name: 'hosted' },
        spec: { storageClassName: 'host', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      });
      await eventually(
        () => get(`${inDefault('/api/v1', 'persistentvolumeclaims')}/hosted`),
        ({ body }) => (body['status'] as { phase?: string }).phase === 'Bound',
      );
    });
    probe('flex-volume-plugin-dir', async () => {
      await manager.says(/FlexVolume drivers are not run here.*vendor~driver/);
    });
    for (const [kind, source] of [
      ['hostpath', { hostPath: { path: '/data' } }],
      ['nfs', { nfs: { server: 's', path: '/data' } }],
    ] as const)
      probe(`pv-recycler-minimum-timeout-${kind}`, async () => {
        const claims = inDefault('/api/v1', 'persistentvolumeclaims');
        const common = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
        const made = await server.post('/api/v1/persistentvolumes', {
          metadata: { name: kind },
          spec: { ...common, ...source, capacity: { storage: '4Gi' }, persistentVolumeReclaimPolicy: 'Recycle' },
        });
        expect(made.status, made.text).to.equal(201);
        const claimed = await server.post(claims, {
          metadata: { name: kind },
          spec: { ...common, volumeName: kind, resources: { requests: { storage: '4Gi' } } },
        });
        expect(claimed.status, claimed.text).to.equal(201);
        await eventually(
          () => get(`${claims}/${kind}`),
          ({ body }) => (body['status'] as { phase?: string }).phase === 'Bound',
        );
        await server.ask({ method: 'DELETE', path: `${claims}/${kind}` });
        const pod = await eventually(
          () => get(`${inDefault('/api/v1', 'pods')}/recycler-for-${kind}`),
          ({ status }) => status === 200,
        );
        expect((pod.body['metadata'] as { labels: object }).labels).to.deep.include({ mark: kind });
        expect((pod.body['spec'] as { activeDeadlineSeconds: number }).activeDeadlineSeconds).to.equal(kind === 'nfs' ? 24 : 20);
      });
    probe('terminated-pod-gc-threshold', async () => {
      const pods = inDefault('/api/v1', 'pods');
      for (const n of [1, 2, 3]) {
        await server.post(pods, { metadata: { name: `ended-${n}`, labels: { ended: 'yes' } }, spec: { containers: [container] } });
        await server.send('PATCH', `${pods}/ended-${n}/status`, { status: { phase: 'Failed' } });
      }
      await eventually(
        async () => ((await get(`${pods}?labelSelector=ended`)).body['items'] as unknown[]).length,
        (count) => count <= 1,
      );
    });
    probe('controllers', async () => {
      const { body } = await get('/apis/policy/v1/namespaces/default/poddisruptionbudgets/idle');
      expect((body['status'] as { observedGeneration?: number }).observedGeneration).to.equal(undefined);
    });
    it('nobody was seen with more work at once than options allow', () => {
      const more = workers.flatMap(([option, atOnce, account, resource]) => {
        const most = counter.most(`${account} ${resource}`);
        return most === atOnce ? [] : [`--${option}=${atOnce}: ${most} at once`];
      });
      expect(more).to.deep.equal([]);
    });
    probe('leader-elect-renew-deadline', async () => {
      const { body } = await get('/apis/coordination.k8s.io/v1/namespaces/default/leases/chosen');
      server.program.signal('SIGSTOP');
      expect(await manager.exited).to.equal(1);
      // The process ends only after the deadline following this renewal.
      const { renewTime = '' } = body['spec'] as { readonly renewTime?: string };
      expect(Date.now() - Date.parse(renewTime), 'not the usual ten seconds').to.be.at.least(15_900);
      server.program.signal('SIGCONT');
    });
  });
}
