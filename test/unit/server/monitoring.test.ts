import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { Metrics } from '../../../controllers/serving/metrics.js';
import { readApiServerOptions } from '../../../server/options/read.js';
import { startServer, type RunningServer } from '../../../server/server.js';
import { packageRoot } from '../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';
import { call1, recordingLogger } from '../../fixtures/frontDoor.js';
import { createIdentities } from '../../fixtures/identities.js';

const folder = path.join(packageRoot, 'deploy', 'monitoring');
const rulesFile = path.join(folder, 'alerts.yaml');

interface Rules {
  readonly groups: readonly {
    readonly name: string;
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels?: { readonly severity?: string };
      readonly annotations?: { readonly summary?: string };
    }[];
  }[];
}
interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

const rules = (parse(fs.readFileSync(rulesFile, 'utf8')) as Rules).groups.flatMap((group) => group.rules);
const { panels } = JSON.parse(fs.readFileSync(path.join(folder, 'dashboard.json'), 'utf8')) as Dashboard;

/** Names of our metrics in an expression, without histogram suffixes. */
const metricsIn = (expression: string): readonly string[] =>
  [
    ...expression.matchAll(/\b(?:apiserver|aggregator|raftplane|workqueue|rest|leader|running|kubernetes|node|nodejs|process)_[a-z0-9_]+/g),
  ].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, (ending) => (name.endsWith('_open_count') ? ending : '')));

describe('deploy/monitoring', function () {
  let server: RunningServer;
  let shown: ReadonlySet<string>;

  before(async () => {
    const identities = await createIdentities();
    const data = temporaryDirectory('monitoring');
    const [pair, admin] = [
      await identities.issue({ name: 'server', usage: 'serverAuth' }),
      await identities.issue({ name: 'admin', groups: ['system:masters'] }),
    ];
    const policy = path.join(data, 'policy.yaml');
    fs.writeFileSync(policy, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]\n');
    const read = readApiServerOptions([
      '--bind-address=127.0.0.1',
      '--secure-port=0',
      `--raft-data-dir=${path.join(data, 'raft')}`,
      `--client-ca-file=${identities.caFile}`,
      `--tls-cert-file=${pair.certFile}`,
      `--tls-private-key-file=${pair.keyFile}`,
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${path.join(data, 'audit.log')}`,
    ]);
    if (!read.ok) throw new Error(read.errors.join('\n'));
    server = await startServer(read.options, recordingLogger([]));
    await server.ready;
    const pages = await Promise.all(
      ['/metrics', '/metrics/slis'].map((page) => call1(Number(new URL(server.url).port), { path: page, identity: admin })),
    );
    const texts = [...pages.map(({ text }) => text), await new Metrics().text()];
    shown = new Set(texts.flatMap((text) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name)));
  });
  after(() => server?.stop());

  for (const { alert, expr, labels, annotations } of rules)
    it(`the alert ${alert} looks at what there is, and says what it means`, () => {
      const names = metricsIn(expr);
      expect(names).to.not.deep.equal([]);
      expect(names.filter((name) => !shown.has(name))).to.deep.equal([]);
      expect(labels?.severity).to.be.oneOf(['critical', 'warning']);
      expect(annotations?.summary).to.be.a('string');
    });

  for (const { title, targets = [] } of panels.filter((panel) => panel.targets !== undefined))
    it(`the panel "${title}" shows what there is`, () => {
      const names = targets.flatMap(({ expr }) => metricsIn(expr));
      expect(names).to.not.deep.equal([]);
      expect(names.filter((name) => !shown.has(name))).to.deep.equal([]);
    });

  it('no two panels share a place or a number', () => {
    expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).to.equal(cells.length);
  });

  it('promtool finds nothing wrong', function () {
    const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rulesFile], { encoding: 'utf8' });
    if (error !== undefined) return this.skip();
    expect(status, stdout + stderr).to.equal(0);
  });
});
