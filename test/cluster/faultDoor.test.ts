import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import readline from 'node:readline';
import { programFile } from '../../deploy/programs.js';
import { loadKubeconfig } from '../../controllers/client/kubeconfig.js';
import { Connection } from '../../controllers/client/connection.js';
import { RestApi } from '../../controllers/client/rest.js';
import { resource, type KubeObject } from '../../controllers/client/index.js';

interface Started {
  readonly kubeconfig: string;
  readonly faults: { readonly url: string; readonly token: string };
  readonly members: readonly { readonly id: string }[];
}

const configMaps = resource<KubeObject>({ apiVersion: 'v1', resource: 'configmaps', kind: 'ConfigMap' });
const raftplane = programFile('raftplane');

describe('cluster/faultDoor', function () {
  let child: ChildProcess;
  let started: Started;
  let api: RestApi;
  let connection: Connection;
  before(async () => {
    child = spawn(process.execPath, [raftplane, 'test-cluster', '--json', '--end-with-stdin', '--no-controllers'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const [line] = (await once(readline.createInterface({ input: child.stdout! }), 'line')) as [string];
    started = JSON.parse(line) as Started;
    connection = new Connection(loadKubeconfig(started.kubeconfig));
    api = new RestApi({ connection, userAgent: 'test', retries: 0 });
  });
  after(async () => {
    connection?.close();
    if (child?.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  });

  const ask = async (action: string, body?: object, token = started.faults.token): Promise<readonly [number, Record<string, unknown>]> => {
    const method = action === '' ? 'GET' : 'POST';
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${started.faults.url}/${action}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    return [response.status, (await response.json()) as Record<string, unknown>];
  };
  const create = (name: string): Promise<KubeObject> =>
    api.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } });
  const codeOf = (attempt: Promise<unknown>): Promise<number | undefined> =>
    attempt.then(
      () => 200,
      (error: { readonly code?: number; readonly status?: { readonly code?: number } }) => error.status?.code ?? error.code,
    );

  it('is for who has the token, and says what there is and what is wrong', async () => {
    expect((await ask('', undefined, 'guess'))[0]).to.equal(401);
    expect(Object.keys((await ask(''))[1])).to.include.members(['kill', 'fail', 'expire-history', 'advance-clock', 'reset']);
    expect(await ask('nonsense')).to.deep.equal([404, { error: 'there is no action nonsense; GET / says which there are' }]);
    expect(await ask('kill')).to.deep.equal([400, { error: 'member is missing: r1, r2 ..., or leader' }]);
    expect(await ask('kill', { member: 'r9' })).to.deep.equal([400, { error: 'there is no member r9: take leader, r1, r2, r3' }]);
    expect(await ask('heal', { much: 1 })).to.deep.equal([400, { error: 'it takes no much; it takes nothing' }]);
    expect((await ask('slow-disk', { member: 'r1', ms: 'long' }))[0]).to.equal(400);
  });

  it('lets requests fail, and counts them', async () => {
    const [, { failure }] = await ask('fail', { match: 'POST /api/v1/namespaces/*/configmaps', status: 409 });
    expect(await codeOf(create('first'))).to.equal(409);
    expect(await codeOf(create('first'))).to.equal(200);
    expect(await ask('hits', { failure })).to.deep.equal([200, { hits: 1 }]);
  });

  it('kills the leader, after which another one leads, and starts it again', async () => {
    const [, { member }] = await ask('kill', { member: 'leader' });
    expect((await ask('leader'))[1]).to.not.deep.equal({ leader: member });
    expect((await ask('restart', { member }))[0]).to.equal(200);
    expect((await ask('members'))[1]['members']).to.satisfy((all: { running: boolean }[]) => all.every(({ running }) => running));
  });

  it('is asked by the command as well', async () => {
    const env = { ...process.env, RAFTPLANE_FAULTS: started.faults.url, RAFTPLANE_FAULTS_TOKEN: started.faults.token };
    const run = async (...args: string[]): Promise<readonly [number, string]> => {
      const command = spawn(process.execPath, [raftplane, 'fault', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      let text = '';
      for (const stream of [command.stdout, command.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      const [code] = (await once(command, 'close')) as [number];
      return [code, text];
    };
    expect((await run())[1]).to.match(/^kill member=\.\.\. +Ends a member at once/m);
    expect(await run('advance-clock', 'ms=3600000')).to.deep.equal([0, 'aheadMs: 3600000\n']);
    expect(await run('isolate', 'r1')).to.deep.equal([3, 'error: "r1" is no parameter: write NAME=VALUE, such as member=leader\n']);
    await create('gone');
    expect(await run('reset', '--json')).to.deep.equal([0, '{}\n']);
    expect(await codeOf(api.get(configMaps, { namespace: 'default', name: 'gone' }))).to.equal(404);
  });

  it('leaves nothing when whoever started it is gone', async () => {
    const ended = once(child, 'exit');
    child.stdin!.end();
    expect((await ended)[0]).to.equal(0);
    expect(fs.existsSync(started.kubeconfig)).to.equal(false);
  });
});
