import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { startApiServer, type TestCluster } from '../../deploy/testing/index.js';
import { agedKubectls } from '../clients/agedClients.js';
import { ClusterCommands, kubectlRunsHere } from '../fixtures/kubectl.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

/** kubectl's protocol: WebSockets, or SPDY as before and as a fallback. */
const ways: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  WebSockets: {},
  SPDY: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' },
};

describe('cluster/kubectl and stand-in nodes', function () {
  let server: TestCluster;
  const home = temporaryDirectory('stand-in-nodes');

  before(async function () {
    if (!kubectlRunsHere) this.skip();
    server = await startApiServer({ nodes: 1, apiserverFlags: ['--disable-admission-plugins=ServiceAccount'] });
    await server.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default', annotations: { 'fake-node/port-81': 'scripted' } },
      spec: { containers: [{ name: 'c', image: 'i', env: [{ name: 'COLOR', value: 'red' }] }] },
    });
    await server.waitFor({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' } }, 'Ready');
  });
  after(async () => {
    await server?.stop();
    fs.rmSync(home, { recursive: true, force: true });
  });

  const programs: readonly (readonly [release: string, program: string | undefined])[] = [['at hand', undefined], ...agedKubectls()];
  for (const [release, program] of programs)
    for (const [protocol, environment] of Object.entries(ways)) tryOut(`${protocol}, kubectl ${release}`, environment, program);

  function tryOut(way: string, environment: Readonly<Record<string, string>>, program: string | undefined): void {
    const commands = (): ClusterCommands => new ClusterCommands(server.kubeconfigPath, home, program);
    const folder = way.replaceAll(/[^\w.]+/g, '-');
    const kubectl = async (args: readonly string[], input = ''): Promise<string> => {
      const { status, stdout, stderr } = await commands().try('kubectl', args, input, environment);
      if (status !== 0) throw new Error(`kubectl ${args.join(' ')} ended with status ${status}: ${stderr}`);
      return stdout;
    };

    it(`runs commands over ${way}: output, input, how they end`, async () => {
      expect(await kubectl(['exec', 'p', '--', 'env'])).to.equal('HOSTNAME=p\nCOLOR=red\n');
      expect(await kubectl(['exec', '-i', 'p', '--', 'cat'], 'from here\n')).to.equal('from here\n');
      const ended = await commands().try('kubectl', ['exec', 'p', '--', 'sh', '-c', 'nonsense; exit 7'], '', environment);
      expect([ended.status, ended.stderr]).to.deep.equal([7, 'nonsense: not found\ncommand terminated with exit code 7\n']);
    });

    it(`copies files and folders there and back over ${way}`, async () => {
      const from = path.join(home, `from-${folder}`);
      const bytes = randomBytes(200_001);
      fs.mkdirSync(path.join(from, 'below'), { recursive: true });
      fs.writeFileSync(path.join(from, 'one.bin'), bytes);
      fs.writeFileSync(path.join(from, 'below', `${'long'.repeat(40)}.txt`), 'two');
      await kubectl(['cp', from, `p:/tmp/${folder}`]);
      expect(await kubectl(['exec', 'p', '--', 'ls', `/tmp/${folder}`])).to.equal('below\none.bin\n');
      const back = path.join(home, `back-${folder}`);
      await kubectl(['cp', `p:/tmp/${folder}`, back]);
      expect(fs.readFileSync(path.join(back, 'one.bin')).equals(bytes)).to.equal(true);
      expect(fs.readFileSync(path.join(back, 'below', `${'long'.repeat(40)}.txt`), 'utf8')).to.equal('two');
      // In an existing folder the file keeps its name.
      await kubectl(['cp', path.join(from, 'one.bin'), 'p:/tmp']);
      await kubectl(['cp', 'p:/tmp/one.bin', path.join(back, 'again')]);
      expect(fs.readFileSync(path.join(back, 'again')).equals(bytes)).to.equal(true);
      const missing = await commands().try('kubectl', ['cp', 'p:/tmp/nothing', path.join(back, 'nothing')], '', environment);
      expect(missing.status).not.to.equal(0);
      expect(missing.stdout + missing.stderr).to.match(/no such file/i);
    });

    it(`forwards ports over ${way}`, async () => {
      const forwarding = commands().start('kubectl', ['port-forward', 'pod/p', ':80', ':81'], environment);
      try {
        const ports = await forwarded(forwarding, [80, 81]);
        for (let turn = 0; turn < 3; turn++) expect(await fetched(ports.get(80)!)).to.equal('default/p port 80\n');
        const [plain] = await Promise.all([rawAnswer(ports.get(81)!), fetched(ports.get(80)!)]);
        expect(plain).to.equal('scripted');
      } finally {
        forwarding.kill();
        await once(forwarding, 'close');
      }
    });
  }
});

/** Ports here by port of the pod. */
async function forwarded(
  process: import('node:child_process').ChildProcess,
  wanted: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const ports = new Map<number, number>();
  let said = '';
  process.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
  for await (const chunk of process.stdout!.setEncoding('utf8').iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
    for (const [, here, there] of chunk.matchAll(/^Forwarding from 127\.0\.0\.1:(\d+) -> (\d+)$/gm)) ports.set(Number(there), Number(here));
    if (wanted.every((port) => ports.has(port))) return ports;
  }
  throw new Error(`no ports were forwarded: ${said}`);
}

async function fetched(port: number): Promise<string> {
  const [response] = (await once(http.get({ host: '127.0.0.1', port, agent: false }), 'response')) as [http.IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

/** Reads until the server closes. */
async function rawAnswer(port: number): Promise<string> {
  const { connect } = await import('node:net');
  const socket = connect(port, '127.0.0.1');
  socket.write('hello');
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  return text;
}
