import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { readManifests } from '../../../../deploy/cli/manifests.js';
import { manifestFilesIn } from '../../../../deploy/manifestFiles.js';
import { programFile } from '../../../../deploy/programs.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app.kubernetes.io/name: "a b"
spec:
  replicaz: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: c
          image: i
          ports:
            - containerPort: 80
            - containerPort: 99999
`;
const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, kind: Widget }
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: { spec: { type: object, properties: { size: { type: integer, maximum: 9 } } } }
`;
const widget = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: w }\nspec:\n  size: 12\n';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryDirectory('manifests');
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

describe('deploy/cli manifest files', () => {
  it('are those of a folder that are YAML or JSON, or the one that is named', () => {
    const folder = folderWith({ 'b/c.yml': '', 'a.yaml': '', 'd.json': '', 'e.txt': '' });
    expect(manifestFilesIn(folder).map((file) => path.relative(folder, file))).to.deep.equal(['a.yaml', 'b/c.yml', 'd.json']);
    expect(manifestFilesIn(path.join(folder, 'e.txt'))).to.have.length(1);
  });

  it('know the lines of fields, also of those that are not there', () => {
    const [manifest] = readManifests(path.join(folderWith({ 'a.yaml': deployment }), 'a.yaml'));
    const line = (field: string): number | undefined => manifest?.lineOf(field);
    expect(line('spec.template.spec.containers[0].ports[1].containerPort')).to.equal(18);
    expect(line('metadata.labels[app.kubernetes.io/name]')).to.equal(6);
    expect(line('spec.template.spec.volumes[0].name')).to.equal(13);
    expect(line('')).to.equal(1);
  });

  it('hold several documents, lists of objects, and some that cannot be read', () => {
    const text = `---\n---\nkind: List\nitems:\n  - kind: A\n  - kind: B\n---\nkind: C\n---\na: b: c\n`;
    const manifests = readManifests(path.join(folderWith({ 'a.yaml': text }), 'a.yaml'));
    expect(manifests.map(({ object, lineOf }) => [object, lineOf('kind')])).to.deep.equal([
      [{ kind: 'A' }, 5],
      [{ kind: 'B' }, 6],
      [{ kind: 'C' }, 8],
      [null, 10],
    ]);
  });
});

describe('raftplane lint', () => {
  const lint = (args: readonly string[], input = ''): { readonly status: number | null; readonly lines: readonly string[] } => {
    const { status, stdout } = spawnSync(process.execPath, [programFile('raftplane'), 'lint', ...args], { encoding: 'utf8', input });
    return { status, lines: stdout.split('\n').filter((line) => line !== '') };
  };

  it('tells file, line, object and field of everything that a server would refuse', () => {
    const folder = folderWith({ 'a.yaml': deployment });
    const { status, lines } = lint([folder]);
    expect(status).to.equal(1);
    expect(lines.map((line) => line.slice(folder.length + 1).replace(/: (Invalid|unknown).*/, ''))).to.deep.equal([
      'a.yaml:8: refused Deployment/web: spec.replicaz',
      'a.yaml:6: refused Deployment/web: metadata.labels',
      'a.yaml:18: refused Deployment/web: spec.template.spec.containers[0].ports[1].containerPort',
    ]);
  });

  it('applies definitions that stand among the files, wherever they stand', () => {
    const { status, lines } = lint(['-', '--json'], `${widget}---\n${definition}`);
    const reports = JSON.parse(lines.join('\n')) as { readonly object: string; readonly checked: boolean; readonly findings: object[] }[];
    expect(reports.map(({ object, checked, findings }) => [object, checked, findings.length])).to.deep.equal([
      ['Widget/w', true, 1],
      ['CustomResourceDefinition/widgets.example.com', true, 0],
    ]);
    expect(reports[0]?.findings[0]).to.include({ path: 'spec.size', line: 5 });
    expect(status).to.equal(1);
  });

  it('passes objects without a fault, and says which kinds it does not know', () => {
    const { status, lines } = lint(['-', '--json'], widget);
    expect(status).to.equal(0);
    expect(JSON.parse(lines.join('\n'))).to.have.nested.property('[0].checked', false);
  });
});
