import { expect } from 'chai';
import { createHash, X509Certificate } from 'node:crypto';
import path from 'node:path';
import { signingRequest } from '../../fixtures/signingRequest.js';
import type { Answer } from '../../fixtures/frontDoor.js';
import { createIdentities, type Identities } from '../../fixtures/identities.js';
import { eventually, runToEnd } from './bundledProgram.js';
import { ManagerUnderProbe } from './managerUnderProbe.js';
import { probesOf } from './probed.js';
import { ServerUnderProbe } from './serverUnderProbe.js';

const probe = probesOf('controller-manager');
const core = '/api/v1/namespaces/default';
const container = { name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } };
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString().replace(/\.\d+/, '');

/** Nodes of three zones: ready ones, and ones that never reported. */
const zones = {
  /** Small and healthy: six of ten are below the unhealthy share here. */
  usual: { ready: 4, silent: 6 },
  large: { ready: 3, silent: 9 },
  small: { ready: 1, silent: 3 },
} as const;
const silentIn = (zone: keyof typeof zones): readonly string[] =>
  Array.from({ length: zones[zone].silent }, (_, n) => `${zone}-silent-${n}`);

interface Scaled {
  readonly replicas: number;
  /** Use of each pod. */
  readonly uses: string;
  readonly started: number;
  readonly ready: 'True' | 'False';
  /** Seconds since that became so, and since the measurement. */
  readonly since: number;
  readonly measured: number;
}
/** Workloads that scale by their pods' use of the requested 100m. */
const scaled = {
  tolerance: { replicas: 1, uses: '105m', started: 3_600, ready: 'True', since: 3_500, measured: 1 },
  beginning: { replicas: 1, uses: '250m', started: 60, ready: 'True', since: 30, measured: 40 },
  unready: { replicas: 1, uses: '250m', started: 400, ready: 'False', since: 395, measured: 1 },
  shrinking: { replicas: 3, uses: '10m', started: 3_600, ready: 'True', since: 3_500, measured: 1 },
} satisfies Record<string, Scaled>;

class Seeds {
  readonly #server: ServerUnderProbe;

  constructor(server: ServerUnderProbe) {
    this.#server = server;
  }

  async make(at: string, body: object): Promise<Answer> {
    const answer = await this.#server.post(at, body);
    expect(answer.status, `${at}: ${answer.text}`).to.equal(201);
    return answer;
  }

  async patch(at: string, body: object): Promise<void> {
    const answer = await this.#server.send('PATCH', at, body);
    expect(answer.status, `${at}: ${answer.text}`).to.equal(200);
  }

  async nodes(): Promise<void> {
    for (const [zone, counts] of Object.entries(zones))
      for (const [state, count] of Object.entries(counts))
        for (let n = 0; n < count; n++) {
          const name = `${zone}-${state}-${n}`;
          await this.make('/api/v1/nodes', { metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } } });
          const heard = { lastHeartbeatTime: ago(0), lastTransitionTime: ago(0) };
          if (state === 'ready')
            await this.patch(`/api/v1/nodes/${name}/status`, { status: { conditions: [{ type: 'Ready', status: 'True', ...heard }] } });
        }
  }

  /** Pods with their usage, from objects of a definition instead of a metrics server. */
  async autoscalers(): Promise<void> {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await this.make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: 'pods.metrics.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, for tests' } },
      spec: {
        group: 'metrics.k8s.io',
        scope: 'Namespaced',
        names: { plural: 'pods', singular: 'pod', kind: 'PodMetrics' },
        versions: [{ name: 'v1beta1', served: true, storage: true, schema }],
      },
    });
    const measured = '/apis/metrics.k8s.io/v1beta1/namespaces/default/pods';
    await eventually(
      () => this.#server.ask(measured),
      ({ status }) => status === 200,
    );
    for (const [app, each] of Object.entries(scaled)) {
      const labels = { app };
      const template = { metadata: { labels }, spec: { containers: [container] } };
      await this.make('/apis/apps/v1/namespaces/default/deployments', {
        metadata: { name: app },
        spec: { replicas: each.replicas, selector: { matchLabels: labels }, template },
      });
      for (let n = 0; n < each.replicas; n++) {
        await this.make(`${core}/pods`, { metadata: { name: `${app}-${n}`, labels }, spec: { containers: [container] } });
        const ready = { type: 'Ready', status: each.ready, lastTransitionTime: ago(each.since) };
        await this.patch(`${core}/pods/${app}-${n}/status`, {
          status: { phase: 'Running', startTime: ago(each.started), conditions: [ready] },
        });
        await this.make(measured, {
          apiVersion: 'metrics.k8s.io/v1beta1',
          kind: 'PodMetrics',
          metadata: { name: `${app}-${n}`, labels },
          timestamp: ago(each.measured),
          window: '60s',
          containers: [{ name: 'c', usage: { cpu: each.uses } }],
        });
      }
      await this.make('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
        metadata: { name: app },
        spec: {
          minReplicas: 1,
          maxReplicas: 5,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: app },
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 100 } } }],
        },
      });
    }
  }

  /** A token secret that its account lists, with an old last use. */
  async oldToken(): Promise<void> {
    await this.make(`${core}/serviceaccounts`, { metadata: { name: 'old' }, secrets: [{ name: 'old-token' }] });
    await this.make(`${core}/secrets`, {
      metadata: { name: 'old-token', annotations: { 'kubernetes.io/service-account.name': 'old' } },
      type: 'kubernetes.io/service-account-token',
    });
    const tracking = '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking';
    await eventually(
      () => this.#server.ask(tracking),
      ({ status }) => status === 200,
    );
    await this.patch(tracking, { data: { since: '2001-01-01' } });
  }

  /** A terminating namespace with a pod of five minutes' grace. */
  async leavingNamespace(): Promise<void> {
    await this.make('/api/v1/namespaces', { metadata: { name: 'leaving' } });
    await this.make('/api/v1/namespaces/leaving/pods', {
      metadata: { name: 'slow' },
      spec: { nodeName: 'usual-ready-0', terminationGracePeriodSeconds: 300, containers: [container] },
    });
    await this.#server.ask({ method: 'DELETE', path: '/api/v1/namespaces/leaving' });
  }
}

/** Effects of managers on objects, their periods and rates. */
export function managerLoops(): void {
  describe('controller managers with rates, periods and limits of their own', function () {
    let server: ServerUnderProbe;
    let signer: Identities;
    let seeds: Seeds;
    /** Has node controllers. */
    let nodes: ManagerUnderProbe;
    /** Scales, and resyncs caches constantly. */
    let scaler: ManagerUnderProbe;
    /** Resyncs everything constantly. */
    let often: ManagerUnderProbe;
    /** May send four requests. */
    let slow: ManagerUnderProbe;
    /** Waits for nodes without limit. */
    let patient: ManagerUnderProbe;
    const get = (at: string): Promise<Answer> => server.ask(at);
    const items = async (at: string): Promise<readonly Record<string, unknown>[]> =>
      ((await get(at)).body['items'] ?? []) as Record<string, unknown>[];

    before(async function () {
      signer = await createIdentities('everybody');
      server = await ServerUnderProbe.start(await createIdentities(), ['--disable-admission-plugins=ServiceAccount']);
      seeds = new Seeds(server);
      await seeds.nodes();
      await seeds.autoscalers();
      await seeds.oldToken();
      await seeds.leavingNamespace();
      [nodes, scaler, often, slow, patient] = await Promise.all([
        ManagerUnderProbe.start(server, [
          '--controllers=node-lifecycle-controller,node-ipam-controller',
          '--kube-api-qps=-1',
          '--allocate-node-cidrs',
          '--cluster-cidr=10.61.0.0/16',
          '--node-cidr-mask-size=26',
          '--cidr-allocator-type=RangeAllocator',
          '--node-startup-grace-period=1ms',
          '--node-monitor-grace-period=1h',
          '--node-monitor-period=500ms',
          '--node-eviction-rate=500',
          '--secondary-node-eviction-rate=500',
          '--large-cluster-size-threshold=11',
          '--unhealthy-zone-threshold=0.7',
        ]),
        ManagerUnderProbe.start(server, [
          '--controllers=horizontal-pod-autoscaler-controller,replicationcontroller-controller,persistentvolume-attach-detach-controller',
          '--min-resync-period=300ms',
          '--horizontal-pod-autoscaler-sync-period=500ms',
          '--horizontal-pod-autoscaler-tolerance=0.02',
          '--horizontal-pod-autoscaler-cpu-initialization-period=1s',
          '--horizontal-pod-autoscaler-initial-readiness-delay=1s',
          '--horizontal-pod-autoscaler-downscale-stabilization=1ms',
          '--attach-detach-reconcile-sync-period=1100ms',
          '--disable-attach-detach-reconcile-sync',
        ]),
        ManagerUnderProbe.start(server, [
          `--controllers=${[
            ...['namespace-controller', 'resourcequota-controller', 'legacy-serviceaccount-token-cleaner-controller'],
            ...['persistentvolume-binder-controller', 'persistentvolume-attach-detach-controller'],
            ...['endpoints-controller', 'endpointslice-controller', 'endpointslice-mirroring-controller'],
            'certificatesigningrequest-signing-controller',
          ].join()}`,
          '--namespace-sync-period=300ms',
          '--resource-quota-sync-period=300ms',
          '--legacy-service-account-token-clean-up-period=1ms',
          '--enable-dynamic-provisioning=false',
          '--pvclaimbinder-sync-period=300ms',
          '--attach-detach-reconcile-sync-period=1100ms',
          '--endpoint-updates-batch-period=1500ms',
          '--endpointslice-updates-batch-period=1500ms',
          '--mirroring-endpointslice-updates-batch-period=1500ms',
          `--cluster-signing-cert-file=${signer.caFile}`,
          `--cluster-signing-key-file=${path.join(signer.directory, 'ca.key')}`,
        ]),
        ManagerUnderProbe.start(server, [
          '--controllers=replicaset-controller,garbage-collector-controller',
          '--enable-garbage-collector=false',
          '--kube-api-qps=0.001',
          '--kube-api-burst=4',
        ]),
        ManagerUnderProbe.start(server, [
          '--controllers=persistentvolume-attach-detach-controller',
          '--attach-detach-reconcile-sync-period=1100ms',
          '--disable-force-detach-on-timeout',
        ]),
      ]);
    });
    after(async () => {
      await Promise.all([nodes, scaler, often, slow, patient].map((each) => each?.stop()));
      await server?.stop();
    });

    probe('node-eviction-rate', async () => {
      const evicted = async (): Promise<readonly string[]> =>
        (await items('/api/v1/nodes'))
          .filter(({ spec }) =>
            ((spec as { taints?: { effect: string }[] } | undefined)?.taints ?? []).some(({ effect }) => effect === 'NoExecute'),
          )
          .map(({ metadata }) => (metadata as { name: string }).name)
          .sort();
      const wanted = [...silentIn('large'), ...silentIn('usual')].sort();
      expect(await eventually(evicted, ({ length }) => length >= wanted.length)).to.deep.equal(wanted);
      const unknown = async (): Promise<boolean> =>
        ((await get('/api/v1/nodes/small-silent-0')).body['status'] as { conditions: { type: string; status: string }[] }).conditions.some(
          ({ type, status }) => type === 'Ready' && status === 'Unknown',
        );
      expect(await unknown(), 'those of the small zone are silent, too').to.equal(true);
    });
    probe('node-cidr-mask-size', async () => {
      const ranges = await eventually(
        async () => (await items('/api/v1/nodes')).map(({ spec }) => (spec as { podCIDR?: string } | undefined)?.podCIDR ?? ''),
        (all) => all.every((range) => range !== ''),
      );
      expect(ranges.filter((range) => !/^10\.61\.\d+\.(?:0|64|128|192)\/26$/.test(range))).to.deep.equal([]);
      expect(new Set(ranges).size).to.equal(ranges.length);
      const { status, text } = await runToEnd('controller-manager', ['--cidr-allocator-type=CloudAllocator']);
      expect(status).to.equal(1);
      expect(text).to.contain('invalid argument "CloudAllocator" for "--cidr-allocator-type" flag: want one of RangeAllocator');
    });
    const scales = async (app: keyof typeof scaled, to: number): Promise<void> => {
      await eventually(
        async () => ((await get(`/apis/apps/v1/namespaces/default/deployments/${app}`)).body['spec'] as { replicas: number }).replicas,
        (replicas) => replicas === to,
      );
    };
    probe('horizontal-pod-autoscaler-tolerance', () => scales('tolerance', 2));
    probe('horizontal-pod-autoscaler-cpu-initialization-period', () => scales('beginning', 3));
    probe('horizontal-pod-autoscaler-initial-readiness-delay', () => scales('unready', 3));
    probe('horizontal-pod-autoscaler-downscale-stabilization', () => scales('shrinking', 1));
    probe('min-resync-period', async () => {
      await seeds.make(`${core}/replicationcontrollers`, {
        metadata: { name: 'quiet' },
        spec: {
          replicas: 0,
          selector: { app: 'quiet' },
          template: { metadata: { labels: { app: 'quiet' } }, spec: { containers: [container] } },
        },
      });
      const adds = async (): Promise<number> => (await scaler.metric('workqueue_adds_total{name="replicationmanager"')) ?? 0;
      const before = await eventually(adds, (count) => count > 0);
      await eventually(adds, (count) => count >= before + 5);
    });
    probe('kube-api-qps', async () => {
      const orphan = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' };
      await seeds.make(`${core}/configmaps`, { metadata: { name: 'orphan', ownerReferences: [orphan] } });
      const labels = { app: 'ten' };
      await seeds.make('/apis/apps/v1/namespaces/default/replicasets', {
        metadata: { name: 'ten' },
        spec: { replicas: 10, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
      });
      const pods = async (): Promise<number> => (await items(`${core}/pods?labelSelector=app%3Dten`)).length;
      await eventually(pods, (count) => count >= 4);
      // The other six wait in vain.
      await eventually(
        () => slow.metric('workqueue_longest_running_processor_seconds{name="replicaset"}'),
        (seconds) => (seconds ?? 0) >= 1,
      );
      expect(await pods()).to.equal(4);
      expect(await slow.running()).to.deep.equal(['replicaset-controller']);
      expect((await get(`${core}/configmaps/orphan`)).status).to.equal(200);
    });
    probe('resource-quota-sync-period', async () => {
      const quota = `${core}/resourcequotas/counted`;
      await seeds.make(`${core}/resourcequotas`, { metadata: { name: 'counted' }, spec: { hard: { secrets: '50' } } });
      const used = async (): Promise<string | undefined> =>
        ((await get(quota)).body['status'] as { used?: { secrets?: string } }).used?.secrets;
      const right = await eventually(used, (amount) => amount !== undefined);
      await seeds.patch(`${quota}/status`, { status: { used: { secrets: '44' } } });
      await eventually(used, (amount) => amount === right);
    });
    probe('legacy-service-account-token-clean-up-period', async () => {
      await eventually(
        async () => ((await get(`${core}/secrets/old-token`)).body['metadata'] as { labels?: Record<string, string> }).labels ?? {},
        (labels) => labels['kubernetes.io/legacy-token-invalid-since'] !== undefined,
      );
    });
    probe('enable-dynamic-provisioning', async () => {
      const common = { storageClassName: 'outside', accessModes: ['ReadWriteOnce'] };
      await seeds.make('/apis/storage.k8s.io/v1/storageclasses', { metadata: { name: 'outside' }, provisioner: 'outside.example' });
      const waiting = (): Promise<number | null> => often.metric('pv_collector_unbound_pvc_count{');
      // More rounds than the default period permits in time.
      for (const n of [1, 2, 3, 4]) {
        await seeds.make(`${core}/persistentvolumeclaims`, {
          metadata: { name: `claim-${n}` },
          spec: { ...common, resources: { requests: { storage: '1Gi' } } },
        });
        await eventually(waiting, (count) => count === n);
      }
      await seeds.make('/api/v1/persistentvolumes', {
        metadata: { name: 'made-by-hand' },
        spec: { ...common, capacity: { storage: '1Gi' }, hostPath: { path: '/data' } },
      });
      await eventually(waiting, (count) => count === 3);
      const asked = (await items(`${core}/persistentvolumeclaims`)).filter(({ metadata }) =>
        Object.keys((metadata as { annotations?: object }).annotations ?? {}).some((name) => name.endsWith('/storage-provisioner')),
      );
      expect(asked).to.deep.equal([]);
    });
    probe('attach-detach-reconcile-sync-period', async () => {
      const series = 'attachdetach_controller_total_volumes{';
      await eventually(
        () => often.metric(series),
        (count) => count === 0,
      );
      await seeds.make('/apis/storage.k8s.io/v1/volumeattachments', {
        metadata: { name: 'by-hand' },
        spec: { attacher: 'outside.example', nodeName: 'usual-ready-0', source: { persistentVolumeName: 'made-by-hand' } },
      });
      await eventually(
        () => often.metric(series),
        (count) => count === 1,
      );
      expect(await scaler.running()).to.include('persistentvolume-attach-detach-controller');
      expect(await scaler.metric(series)).to.equal(null);
    });
    probe('cluster-signing-cert-file', async () => {
      const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
      const spec = { request: await signingRequest('ann'), signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] };
      const made = await seeds.make(requests, { metadata: { name: 'ann' }, spec });
      const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
      expect((await server.send('PUT', `${requests}/ann/approval`, { ...made.body, status: { conditions } })).status).to.equal(200);
      const signed = await eventually(
        async () => ((await get(`${requests}/ann`)).body['status'] as { certificate?: string }).certificate ?? '',
        (text) => text !== '',
      );
      expect(new X509Certificate(Buffer.from(signed, 'base64')).issuer).to.equal('CN=everybody');
    });
    probe('endpoint-updates-batch-period', async () => {
      const spec = { ports: [{ port: 80 }] };
      const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices?labelSelector=kubernetes.io/service-name%3D';
      const has = async (ip: string, at: string): Promise<boolean> => (await get(at)).text.includes(`"${ip}"`);
      await seeds.make(`${core}/services`, { metadata: { name: 'followed' }, spec: { ...spec, selector: { app: 'followed' } } });
      await seeds.make(`${core}/services`, { metadata: { name: 'mirrored' }, spec });
      await eventually(
        async () => [(await get(`${core}/endpoints/followed`)).status, (await items(`${slices}followed`)).length],
        ([status, count]) => status === 200 && count === 1,
      );
      const began = performance.now();
      await seeds.make(`${core}/pods`, {
        metadata: { name: 'followed', labels: { app: 'followed' } },
        spec: { nodeName: 'usual-ready-0', containers: [container] },
      });
      await seeds.patch(`${core}/pods/followed/status`, {
        status: { phase: 'Running', podIP: '10.2.0.1', podIPs: [{ ip: '10.2.0.1' }], conditions: [{ type: 'Ready', status: 'True' }] },
      });
      await seeds.make(`${core}/endpoints`, {
        metadata: { name: 'mirrored' },
        subsets: [{ addresses: [{ ip: '10.3.0.1' }], ports: [{ port: 80 }] }],
      });
      const waited = await Promise.all(
        [
          ['10.2.0.1', `${core}/endpoints/followed`],
          ['10.2.0.1', `${slices}followed`],
          ['10.3.0.1', `${slices}mirrored`],
        ].map(async ([ip = '', at = '']) => {
          await eventually(() => has(ip, at));
          return performance.now() - began;
        }),
      );
      expect(Math.min(...waited)).to.be.at.least(1_500);
    });
    probe('disable-force-detach-on-timeout', async () => {
      const [driver, handle, node] = ['outside.example', 'disk-1', 'small-silent-0'];
      await seeds.make('/api/v1/persistentvolumes', {
        metadata: { name: 'disk' },
        spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, csi: { driver, volumeHandle: handle } },
      });
      await seeds.patch(`/api/v1/nodes/${node}/status`, { status: { volumesInUse: [`kubernetes.io/csi/${driver}^${handle}`] } });
      const name = `csi-${createHash('sha256').update(`${handle}${driver}${node}`).digest('hex')}`;
      const attachments = '/apis/storage.k8s.io/v1/volumeattachments';
      await seeds.make(attachments, {
        metadata: { name },
        spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: 'disk' } },
      });
      const looked = async (manager: ManagerUnderProbe): Promise<void> => {
        const rounds = async (): Promise<number> =>
          (await manager.metric('workqueue_work_duration_seconds_count{name="attachdetach"')) ?? 0;
        const before = await rounds();
        const all = (await items('/api/v1/nodes')).length;
        await eventually(rounds, (count) => count >= before + 2 * all);
      };
      const there = async (): Promise<boolean> => (await get(`${attachments}/${name}`)).status === 200;
      await Promise.all([looked(patient), looked(often)]);
      patient.leap();
      await looked(patient);
      expect(await there(), 'for seven minutes').to.equal(true);
      often.leap();
      await eventually(there, (is) => !is);
      expect(await often.metric('attach_detach_controller_attachdetach_controller_forced_detaches{reason="timeout"}')).to.equal(1);
    });
    probe('namespace-sync-period', async () => {
      const pod = '/api/v1/namespaces/leaving/pods/slow';
      await eventually(
        () => get(pod),
        ({ body }) => (body['metadata'] as { deletionTimestamp?: string }).deletionTimestamp !== undefined,
      );
      // More often than a manager that waits for half of the pod's grace period.
      await eventually(
        () => often.metric('workqueue_adds_total{name="namespace"'),
        (looks) => (looks ?? 0) >= 4,
      );
      await server.ask({ method: 'DELETE', path: `${pod}?gracePeriodSeconds=0` });
      await eventually(
        () => get('/api/v1/namespaces/leaving'),
        ({ status }) => status === 404,
      );
    });
  });
}
