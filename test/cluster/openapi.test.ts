import { expect } from 'chai';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { ClusterCommands, kubectlRunsHere } from '../fixtures/kubectl.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';
import { ClusterUnderTest } from './clusterUnderTest.js';

const deployment = (members: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
      - name: main
        image: example.com/web:1
${members}`;
const good = deployment('');
const misspelt = deployment('        imagePullPolice: Always\n');
const mistyped = deployment('        ports: [{ containerPort: "http" }]\n');

/** A plain-text administrator proxy whose documents omit field validation, so that clients check objects by OpenAPI version 2. */
async function withoutFieldValidation({ cluster }: ClusterUnderTest): Promise<http.Server> {
  const { caFile, admin } = cluster.pki;
  const agent = new https.Agent({
    ca: fs.readFileSync(caFile),
    cert: fs.readFileSync(admin.certFile),
    key: fs.readFileSync(admin.keyFile),
  });
  const server = http.createServer((request, response) => {
    const headers = { ...request.headers, host: new URL(cluster.address).host, 'accept-encoding': 'identity' };
    const forwarded = https.request(
      new URL(request.url ?? '', cluster.address),
      { method: request.method ?? 'GET', headers, agent },
      (answer) => {
        const chunks: Buffer[] = [];
        answer
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            const text = Buffer.concat(chunks);
            const shown = request.url?.startsWith('/openapi/v3')
              ? Buffer.from(text.toString().replaceAll('"name":"fieldValidation"', '"name":"somethingElse"'))
              : text;
            response.writeHead(answer.statusCode ?? 500, { ...answer.headers, 'content-length': shown.length }).end(shown);
          });
      },
    );
    request.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.on('close', () => {
    agent.destroy();
  });
  return server;
}

describe('cluster/openapi', function () {
  let test: ClusterUnderTest;
  let commands: ClusterCommands;
  before(async function () {
    if (!kubectlRunsHere) this.skip();
    test = await ClusterUnderTest.start({ replicas: 1 });
    commands = new ClusterCommands(test.cluster.kubeconfig, temporaryDirectory('kubectl'));
  });
  after(() => test?.stop());

  it('explains a field, with types and descriptions', async () => {
    const text = await commands.kubectl('explain', 'pods.spec.containers');
    expect(text).to.match(/^KIND: +Pod\nVERSION: +v1\n\nFIELD: containers <\[\]Container>/);
    expect(text).to.match(/ {2}image\t<string>\n {4}Image to run\./);
    expect(text).to.match(/ {2}name\t<string> -required-/);
    expect(text).to.not.contain('<no description>');
  });

  it('explains everything below a kind', async () => {
    const text = await commands.kubectl('explain', 'deploy', '--recursive');
    expect(text).to.match(/^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n\nDESCRIPTION:\n {4}Keeps a number/);
    expect(text).to.match(/\n {8}containers\t<\[\]Container> -required-\n/);
    expect(text).to.match(/maxUnavailable\t<IntOrString>/);
  });

  it('explains from version 2 of the documents, and other versions of a kind', async () => {
    expect(await commands.kubectl('explain', 'services.spec.ports', '--output=plaintext-openapiv2')).to.match(
      /RESOURCE: ports <\[\]Object>[^]*nodePort\t<integer>\n +Port of the nodes/,
    );
    expect(await commands.kubectl('explain', 'hpa', '--api-version=autoscaling/v1')).to.match(/VERSION: +v1\n/);
  });

  it('lets kubectl leave validation to the server', async () => {
    const refused = await commands.try('kubectl', ['create', '--validate=strict', '-f', '-'], misspelt);
    expect(refused).to.include({ status: 1 });
    expect(refused.stderr)
      .to.contain('Error from server (BadRequest)')
      .and.contain('strict decoding error: unknown field "spec.template.spec.containers[0].imagePullPolice"');
    const warned = await commands.try('kubectl', ['apply', '--dry-run=server', '--validate=warn', '-f', '-'], misspelt);
    expect(warned).to.include({ status: 0 });
    expect(warned.stderr).to.contain('Warning: unknown field');
  });

  it('applies and diffs with patches that follow the schema', async () => {
    expect(await commands.kubectlWithInput(good, 'apply', '-f', '-')).to.contain('created');
    expect(
      await commands.kubectlWithInput(deployment('      - name: side\n        image: example.com/side:1\n'), 'apply', '-f', '-'),
    ).to.contain('configured');
    expect(await commands.kubectlWithInput(deployment('        env: [{ name: A, value: b }]\n'), 'apply', '-f', '-')).to.contain(
      'configured',
    );
    expect(
      await commands.kubectl(
        'get',
        'deployment',
        'web',
        '-o',
        'jsonpath={range .spec.template.spec.containers[*]}{.name} {.env[0].value}{end}',
      ),
    ).to.equal('main b');
    expect(await commands.kubectlWithInput(good, 'apply', '--server-side', '--force-conflicts', '-f', '-')).to.contain(
      'serverside-applied',
    );
  });

  describe('with a server that does not check fields', () => {
    let front: http.Server;
    let file: string;
    const commandOf = (manifest: string): string[] => {
      fs.writeFileSync(file, manifest);
      return [
        '--server',
        `http://127.0.0.1:${(front.address() as AddressInfo).port}`,
        'apply',
        '--dry-run=server',
        '--validate=strict',
        '-f',
        file,
      ];
    };
    let alone: ClusterCommands;
    before(async () => {
      front = await withoutFieldValidation(test);
      const home = temporaryDirectory('kubectl');
      file = path.join(home, 'manifest.yaml');
      alone = new ClusterCommands(path.join(home, 'none'), home);
    });
    after(() => {
      front?.close();
    });

    it('kubectl finds unknown fields itself', async () => {
      const { status, stderr } = await alone.try('kubectl', commandOf(misspelt));
      expect(status).to.equal(1);
      expect(stderr).to.contain('error validating data').and.contain('unknown field "imagePullPolice" in io.k8s.api.core.v1.Container');
    });

    it('kubectl finds wrong types itself', async () => {
      const { status, stderr } = await alone.try('kubectl', commandOf(mistyped));
      expect(status).to.equal(1);
      expect(stderr).to.contain('invalid type for io.k8s.api.core.v1.ContainerPort.containerPort: got "string", expected "integer"');
    });

    it('kubectl lets a good object pass', async () => {
      const { status, stdout, stderr } = await alone.try('kubectl', commandOf(good));
      expect(status, stderr).to.equal(0);
      expect(stdout).to.contain('(server dry run)');
    });
  });
});
