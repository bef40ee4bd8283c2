import { expect } from 'chai';
import fs from 'node:fs';
import path from 'node:path';
import type { ClusterCommands, Finished } from '../fixtures/kubectl.js';
import { commandsUnderTest } from './commandsUnderTest.js';

const chart: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 0.1.0\n',
  'values.yaml': 'color: red\nreplicas: 0\nservice: true\n',
  'templates/all.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}-paint
data:
  color: {{ .Values.color }}
---
{{- if .Values.service }}
apiVersion: v1
kind: Service
metadata:
  name: {{ .Release.Name }}
spec:
  selector: {app: {{ .Release.Name }}}
  ports:
  - {name: web, port: 80}
---
{{- end }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels: {app: {{ .Release.Name }}}
  template:
    metadata:
      labels: {app: {{ .Release.Name }}}
    spec:
      containers:
      - {name: main, image: "shop:{{ .Values.color }}"}
`,
};

describe('cluster/helm', function () {
  let commands: ClusterCommands;
  let folder: string;
  commandsUnderTest((started) => {
    ({ commands } = started);
    folder = path.join(started.home, 'shop');
    for (const [file, text] of Object.entries(chart)) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      fs.writeFileSync(path.join(folder, file), text);
    }
  });

  const helm = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await commands.try('helm', args);
    expect(status, stderr + stdout).to.equal(0);
    return stdout;
  };
  const refused = async (...args: string[]): Promise<Finished> => {
    const finished = await commands.try('helm', args);
    expect(finished.status, finished.stdout).to.equal(1);
    return finished;
  };
  const show = (what: string, path_: string): Promise<string> => commands.kubectl('get', what, '-o', `jsonpath={${path_}}`);
  const statuses = async (): Promise<string[]> =>
    (JSON.parse(await helm('history', 'shop', '-o', 'json')) as { status: string }[]).map(({ status }) => status);

  it('installs a chart, by server-side apply', async () => {
    expect(await helm('install', 'shop', folder)).to.contain('STATUS: deployed');
    expect(await show('configmap/shop-paint', '.data.color')).to.equal('red');
    const managers = await commands.kubectl(
      'get',
      'deployment',
      'shop',
      '--show-managed-fields',
      '-o',
      'jsonpath={.metadata.managedFields[?(@.manager=="helm")].operation}',
    );
    expect(managers).to.equal('Apply');
    expect((await refused('install', 'shop', folder)).stderr).to.contain('cannot reuse a name that is still in use');
  });

  it('upgrades: what changed changes, what went from the chart goes', async () => {
    await helm('upgrade', 'shop', folder, '--set', 'color=blue,service=false');
    expect(await show('configmap/shop-paint', '.data.color')).to.equal('blue');
    expect(await show('deployment/shop', '.spec.template.spec.containers[0].image')).to.equal('shop:blue');
    expect((await commands.try('kubectl', ['get', 'service', 'shop'])).stderr).to.contain('not found');
  });

  it('tells of fields that others have taken, and takes them back when told to', async () => {
    await commands.kubectl('scale', 'deployment', 'shop', '--replicas=2');
    const { stderr } = await refused('upgrade', 'shop', folder, '--set', 'replicas=1');
    expect(stderr).to.contain(
      'Apply failed with 1 conflict: conflict with "kubectl" with subresource "scale" using apps/v1: .spec.replicas',
    );
    await helm('upgrade', 'shop', folder, '--set', 'replicas=1', '--force-conflicts');
    expect(await show('deployment/shop', '.spec.replicas')).to.equal('1');
    expect(await statuses()).to.deep.equal(['superseded', 'superseded', 'failed', 'deployed']);
  });

  it('rolls back', async () => {
    await helm('rollback', 'shop', '1');
    expect(await show('deployment/shop', '.spec.replicas} {.spec.template.spec.containers[0].image')).to.equal('0 shop:red');
    expect(await show('service/shop', '.spec.ports[0].port')).to.equal('80');
    expect((await statuses()).at(-1)).to.equal('deployed');
  });

  it('uninstalls all of it', async () => {
    expect(await helm('uninstall', 'shop', '--wait')).to.contain('release "shop" uninstalled');
    expect(
      (await commands.kubectl('get', 'configmap,service,deployment,secret', '-o', 'name'))
        .split('\n')
        .filter((line) => line.includes('shop')),
    ).to.deep.equal([]);
  });
});
