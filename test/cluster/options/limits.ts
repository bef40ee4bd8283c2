import { expect } from 'chai';
import fs from 'node:fs';
import http2 from 'node:http2';
import https from 'node:https';
import path from 'node:path';
import tls from 'node:tls';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { canSharePorts } from '../../../program/port/bind.js';
import { startHookService, type HookService } from '../../fixtures/hookService.js';
import { startReviewService, type ReviewService } from '../../fixtures/reviewService.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { call1, type Answer } from '../../fixtures/frontDoor.js';
import { createIdentities, type Identities, type Identity } from '../../fixtures/identities.js';
import { BundledProgram, eventually, runToEnd } from './bundledProgram.js';
import { probesOf } from './probed.js';
import { ServerUnderProbe } from './serverUnderProbe.js';

const probe = probesOf('apiserver');
const maps = '/api/v1/namespaces/default/configmaps';

/** A hook for config maps whose names begin with "held". */
const holdingHook = (hook: HookService): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'holds' },
  webhooks: [
    {
      name: 'holds.example.org',
      clientConfig: { url: hook.url, caBundle: hook.caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      matchConditions: [{ name: 'held', expression: 'object.metadata.name.startsWith("held")' }],
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Fail',
      timeoutSeconds: 30,
    },
  ],
});

/** Limits, disabled features, an emulated version, and shutdown. */
export function limits(): void {
  describe('an API server with less of everything', function () {
    let server: ServerUnderProbe;
    let identities: Identities;
    let hook: HookService;
    let bob: Identity;
    let trail: ReviewService;
    const folder = temporaryDirectory('limits');
    const auditLog = path.join(folder, 'audit.log');

    before(async () => {
      identities = await createIdentities();
      [hook, bob] = [await startHookService(identities), await identities.issue({ name: 'bob', groups: ['builders'] })];
      const labels = path.join(folder, 'labels.yaml');
      fs.writeFileSync(labels, '"apiserver_request_total,verb": "LIST"\n');
      trail = await startReviewService(identities, 'trail');
      trail.replies = ['silence'];
      const policy = path.join(folder, 'policy.json');
      fs.writeFileSync(
        policy,
        JSON.stringify({
          apiVersion: 'audit.k8s.io/v1',
          kind: 'Policy',
          omitStages: ['RequestReceived'],
          rules: [{ level: 'Metadata', resources: [{ group: '', resources: ['secrets'] }], verbs: ['create'] }, { level: 'None' }],
        }),
      );
      server = await ServerUnderProbe.start(
        identities,
        [
          '--disable-http2-serving',
          '--tls-min-version=VersionTLS13',
          '--profiling=false',
          `--allow-metric-labels-manifest=${labels}`,
          '--emulated-version=1.34',
          '--emulation-forward-compatible',
          '--runtime-config-emulation-forward-compatible',
          '--runtime-config=storagemigration.k8s.io/v1beta1=true,admissionregistration.k8s.io/v1beta1=true',
          '--etcd-compaction-interval=500ms',
          '--enable-priority-and-fairness=false',
          '--max-requests-inflight=1',
          '--max-mutating-requests-inflight=1',
          '--enable-garbage-collector=false',
          '--request-timeout=3s',
          '--min-request-timeout=1',
          '--etcd-prefix=/elsewhere',
          '--storage-media-type=application/json',
          '--feature-gates=LoggingAlphaOptions=true,StorageVersionHash=false,StorageVersionMigrator=true',
          '--log-text-split-stream',
          '--log-text-info-buffer-size=1Mi',
          '--log-flush-frequency=100ms',
          '--vmodule=access=3',
          '--endpoint-reconciler-type=none',
          `--cert-dir=${path.join(folder, 'certs')}`,
          `--audit-policy-file=${policy}`,
          `--audit-log-path=${auditLog}`,
          '--audit-log-mode=batch',
          '--audit-log-batch-max-size=2',
          '--audit-log-batch-max-wait=1h',
          '--audit-log-batch-buffer-size=3',
          '--audit-log-batch-throttle-enable',
          '--audit-log-batch-throttle-qps=0.001',
          '--audit-log-batch-throttle-burst=1',
          `--audit-webhook-config-file=${trail.kubeconfig}`,
          '--audit-webhook-batch-max-size=2',
          '--audit-webhook-batch-max-wait=1h',
          '--audit-webhook-batch-buffer-size=4',
        ],
        { without: ['tls-cert-file', 'tls-private-key-file'] },
      );
      const roles = '/apis/rbac.authorization.k8s.io/v1';
      await server.post(`${roles}/clusterrolebindings`, {
        metadata: { name: 'builders' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'builders' }],
      });
      const made = await server.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', holdingHook(hook));
      expect(made.status, made.text).to.equal(201);
    });
    after(async () => {
      // It would wait for services that must not answer.
      server?.program.signal('SIGKILL');
      await server?.program.exited;
      hook?.close();
      trail?.close();
    });

    probe('cert-dir', () => {
      expect(fs.readdirSync(path.join(folder, 'certs')).sort()).to.deep.equal(['apiserver.crt', 'apiserver.key']);
      return Promise.resolve();
    });
    probe('disable-http2-serving', async () => {
      const options = { host: '127.0.0.1', port: server.port, rejectUnauthorized: false };
      const connection = tls.connect({ ...options, ALPNProtocols: ['h2', 'http/1.1'] });
      await once(connection, 'secureConnect');
      expect([connection.alpnProtocol, connection.getProtocol()]).to.deep.equal(['http/1.1', 'TLSv1.3']);
      connection.destroy();
      const old = tls.connect({ ...options, maxVersion: 'TLSv1.2' });
      await once(old, 'error');
    });
    probe('profiling', async () => {
      expect((await server.ask('/debug/pprof/cmdline')).status).to.equal(404);
    });
    probe('allow-metric-labels-manifest', async () => {
      const { text } = await server.ask('/metrics');
      expect(text)
        .to.match(/apiserver_request_total\{[^}]*verb="unexpected"/)
        .and.not.match(/apiserver_request_total\{[^}]*verb="GET"/);
    });
    probe('emulated-version', async () => {
      expect((await server.ask('/version')).body).to.deep.include({ minor: '36', emulationMinor: '34' });
      expect((await server.ask('/apis/storagemigration.k8s.io/v1beta1')).status).to.equal(200);
      expect((await server.ask('/apis/admissionregistration.k8s.io/v1')).text, 'served as beta then').to.contain(
        '"mutatingadmissionpolicies"',
      );
      expect((await server.ask('/api/v1')).text).to.not.contain('storageVersionHash');
    });
    probe('enable-garbage-collector', async () => {
      await server.post(maps, { metadata: { name: 'owner' } });
      await server.ask({ method: 'DELETE', path: `${maps}/owner?propagationPolicy=Foreground` });
      expect((await server.ask(`${maps}/owner`)).status).to.equal(404);
    });
    probe('endpoint-reconciler-type', async () => {
      const { status, body } = await server.ask('/api/v1/namespaces/default/endpoints/kubernetes');
      expect(status === 404 || (body['subsets'] ?? null) === null).to.equal(true);
    });
    probe('max-mutating-requests-inflight', async () => {
      let release = (): void => undefined;
      const asked = new Promise<void>((resolve) => {
        hook.reply = () => {
          resolve();
          return 'silence';
        };
      });
      release = () => {
        hook.reply = { allowed: true };
      };
      const create = (name: string): Promise<Answer> => server.post(maps, { metadata: { name } }, { identity: bob });
      const first = create('held-1');
      await asked;
      const second = await create('other');
      expect(second.status).to.equal(429);
      expect(second.headers).to.not.have.property('x-kubernetes-pf-flowschema-uid');
      expect((await server.ask({ path: maps, identity: bob })).status, 'reading has a place of its own').to.equal(200);
      expect((await first).status, 'after the time of requests').to.be.oneOf([500, 504]);
      release();
      expect((await create('other')).status).to.equal(201);
      const shown = await server.ask('/metrics');
      expect(shown.text).to.contain('apiserver_current_inflight_requests{request_kind="mutating"}');
    });
    probe('request-timeout', async () => {
      hook.reply = 'silence';
      const answer = await server.post(maps, { metadata: { name: 'held-2' } });
      expect([answer.status, answer.body['reason']]).to.be.deep.oneOf([
        [504, 'Timeout'],
        [500, 'InternalError'],
      ]);
      hook.reply = { allowed: true };
    });
    probe('min-request-timeout', async () => {
      const answer = await server.ask(`${maps}?watch=1`);
      expect(answer.status).to.equal(200);
    });
    probe('etcd-compaction-interval', async () => {
      const { resourceVersion } = (await server.ask(maps)).body['metadata'] as { resourceVersion: string };
      let count = 0;
      await eventually(
        async () => {
          await server.post(maps, { metadata: { name: `later-${++count}` } });
          return server.ask(`${maps}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
        },
        ({ status }) => status === 410,
      );
    });
    probe('etcd-prefix', async () => {
      await server.post(maps, { metadata: { name: 'seen' }, data: { key: 'a text to look for' } });
      const bytes = (): string =>
        fs
          .readdirSync(server.file('data'), { recursive: true, encoding: 'utf8' })
          .map((name) => path.join(server.file('data'), name))
          .filter((file) => fs.statSync(file).isFile())
          .map((file) => fs.readFileSync(file, 'latin1'))
          .join('');
      await eventually(
        bytes,
        (text) => text.includes('/elsewhere/core/configmaps/default/seen') && text.includes('"key":"a text to look for"'),
      );
      expect(bytes()).to.not.include('/registry/core/configmaps');
    });
    probe('log-text-split-stream', async () => {
      await server.ask('/version?look=for-this');
      await server.program.says(/look=for-this/);
      expect(server.program.stdout.join('')).to.contain('look=for-this');
      expect(server.program.stderr.join('')).to.not.match(/ info /);
    });
    probe('audit-log-batch-throttle-enable', async () => {
      const create = (name: string): Promise<Answer> => server.post('/api/v1/namespaces/default/secrets', { metadata: { name } });
      const lines = (): string[] => (fs.existsSync(auditLog) ? fs.readFileSync(auditLog, 'utf8').split('\n').slice(0, -1) : []);
      await Promise.all([create('a'), create('b')]);
      await eventually(
        () => [lines().length, trail.questions.length],
        ([written, asked]) => written === 2 && asked === 1,
      );
      for (const name of ['c', 'd', 'e', 'f', 'g', 'h', 'i']) await create(name);
      const lost = async (plugin: string): Promise<number> =>
        Number((await server.metric(`apiserver_audit_error_total{plugin="${plugin}"}`))?.split(' ')[1] ?? 0);
      expect([await lost('log'), await lost('webhook')]).to.deep.equal([4, 3]);
      expect([lines().length, trail.questions.length]).to.deep.equal([2, 1]);
    });
    probe('permit-port-sharing', async () => {
      const args = [
        '--bind-address=127.0.0.1',
        '--permit-port-sharing',
        `--secure-port=${server.port}`,
        `--raft-data-dir=${path.join(folder, 'second')}`,
        `--cert-dir=${path.join(folder, 'certs')}`,
      ];
      if (canSharePorts()) {
        const second = BundledProgram.start('apiserver', args);
        await second.says(/ ready$/m).catch((error: unknown) => expect(String(error)).to.contain('EADDRINUSE'));
        await second.stop();
      } else
        expect(await runToEnd('apiserver', args))
          .to.deep.include({ status: 1 })
          .and.to.have.property('text')
          .that.contains('--permit-port-sharing');
    });
  });

  describe('an API server that stops', function () {
    probe('shutdown-delay-duration', async () => {
      const identities = await createIdentities();
      const hook = await startHookService(identities);
      const server = await ServerUnderProbe.start(identities, [
        '--shutdown-delay-duration=1s',
        '--shutdown-send-retry-after',
        '--shutdown-watch-termination-grace-period=3s',
      ]);
      await server.post('/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations', holdingHook(hook));
      const watch = https.get({
        host: '127.0.0.1',
        port: server.port,
        path: `${maps}?watch=1`,
        cert: server.admin.cert,
        key: server.admin.key,
        rejectUnauthorized: false,
      });
      const [watching] = (await once(watch, 'response')) as [IncomingMessage];
      const order: string[] = [];
      watching.resume().on('end', () => order.push('the watch'));
      const session = http2.connect(`https://127.0.0.1:${server.port}`, {
        rejectUnauthorized: false,
        cert: server.admin.cert,
        key: server.admin.key,
      });
      session.on('error', () => undefined);
      const over = async (at: string): Promise<http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader> => {
        const stream = session.request({ ':path': at });
        const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader];
        stream.resume();
        return headers;
      };
      expect((await over('/version'))[':status']).to.equal(200);
      let answerHook = (): void => undefined;
      const asked = new Promise<void>((resolve) => {
        hook.reply = () => {
          resolve();
          return 'silence';
        };
      });
      const held = call1(server.port, {
        method: 'POST',
        path: maps,
        identity: server.admin,
        headers: { 'content-type': 'application/json' },
        body: '{"metadata":{"name":"held"}}',
      }).catch(() => null);
      await asked;
      server.program.signal('SIGTERM');
      expect(
        (
          await eventually(
            () => over('/readyz'),
            (headers) => headers[':status'] !== 200,
          )
        )[':status'],
      ).to.equal(500);
      expect((await over('/version'))[':status'], 'while it delays').to.equal(200);
      const refused = await eventually(
        () => over('/version'),
        (headers) => headers[':status'] !== 200,
      );
      expect([refused[':status'], refused['retry-after'] !== undefined]).to.deep.equal([429, true]);
      expect(order, 'the watch goes on meanwhile').to.deep.equal([]);
      answerHook = () => hook.close();
      answerHook();
      session.destroy();
      await held;
      await server.program.exited;
      expect(order).to.deep.equal(['the watch']);
    });
  });
}
