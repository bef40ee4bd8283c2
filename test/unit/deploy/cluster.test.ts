import { expect } from 'chai';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { startCluster, type Cluster, type ClusterOptions } from '../../../deploy/cluster.js';
import { processExists } from '../../../deploy/launcherLock.js';
import { get, reservePort } from '../../fixtures/tlsBackends.js';
import { temporaryDirectory } from '../../fixtures/temporaryDirectory.js';

const fakeApiserver = fileURLToPath(new URL('../../fixtures/fakeApiserver.js', import.meta.url));
const command = fileURLToPath(new URL('../../../deploy/cli/main.js', import.meta.url));

interface ClusterJson {
  launcher: number;
  processes: { role: string; name: string; pid: number | null; address: string | null; memberId?: string; log: string }[];
}

describe('deploy/cluster', () => {
  const clusters: Cluster[] = [];
  const start = async (options: ClusterOptions): Promise<Cluster> => {
    const cluster = await startCluster({ apiserverProgram: fakeApiserver, ...options });
    clusters.push(cluster);
    return cluster;
  };
  const clusterJson = (directory: string): ClusterJson =>
    JSON.parse(fs.readFileSync(path.join(directory, 'cluster.json'), 'utf8')) as ClusterJson;
  afterEach(async () => {
    for (const cluster of clusters.splice(0)) await cluster.stop();
  });

  it('starts replicas and balancer, names them in cluster.json, and leaves none after stop', async () => {
    const directory = temporaryDirectory('cluster');
    const cluster = await start({ dataDirectory: directory });
    const { processes } = clusterJson(directory);
    expect(processes.map(({ role, memberId }) => memberId ?? role)).to.deep.equal(['r1', 'r2', 'r3', 'balancer']);
    for (const { pid, log, address } of processes) {
      expect(processExists(pid ?? 0)).to.equal(true);
      expect(fs.existsSync(log)).to.equal(true);
      expect(address).to.match(/^https:\/\/127\.0\.0\.1:\d+$/);
    }
    const ca = fs.readFileSync(path.join(directory, 'pki', 'ca.crt'), 'utf8');
    expect(await get(Number(new URL(cluster.address).port), ca)).to.be.oneOf(['r1', 'r2', 'r3']);
    await cluster.stop();
    for (const { pid } of processes) expect(processExists(pid ?? 0)).to.equal(false);
    expect(fs.existsSync(path.join(directory, 'cluster.json'))).to.equal(false);
  });

  it('shows the token of the cluster to nobody, nor what the programs write', async () => {
    const directory = temporaryDirectory('cluster');
    fs.mkdirSync(path.join(directory, 'logs'), { mode: 0o755 });
    await start({ dataDirectory: directory, replicas: 1 });
    const mode = (...names: readonly string[]): number => fs.statSync(path.join(directory, ...names)).mode & 0o777;
    const { token } = JSON.parse(fs.readFileSync(path.join(directory, 'settings.json'), 'utf8')) as { token: string };
    const { processes } = JSON.parse(fs.readFileSync(path.join(directory, 'cluster.json'), 'utf8')) as {
      processes: { command: string[] }[];
    };
    expect(processes.flatMap(({ command }) => command).filter((word) => word.includes(token))).to.deep.equal([]);
    expect(fs.readFileSync(path.join(directory, 'cluster-token'), 'utf8').trim()).to.equal(token);
    expect([mode('cluster-token'), mode('logs')]).to.deep.equal([0o600, 0o700]);
  });

  it('continues with the same ports, certificates and data, and forgets data with fresh', async () => {
    const directory = temporaryDirectory('cluster');
    const port = await reservePort();
    const rememberedFlags = { apiserver: ['--v=4'], manager: [] };
    const first = await start({ dataDirectory: directory, replicas: 1, port, rememberedFlags });
    const admin = fs.readFileSync(path.join(directory, 'admin.kubeconfig'), 'utf8');
    await first.stop();
    const second = await start({ dataDirectory: directory, port });
    expect(JSON.parse(fs.readFileSync(path.join(directory, 'settings.json'), 'utf8'))).to.have.deep.property('flags', rememberedFlags);
    expect(second.members.map(({ address }) => address)).to.deep.equal(first.members.map(({ address }) => address));
    expect(fs.readFileSync(path.join(directory, 'admin.kubeconfig'), 'utf8')).to.equal(admin);
    const starts = path.join(directory, 'data', 'r1', 'starts');
    expect(fs.readFileSync(starts, 'utf8')).to.equal('r1\nr1\n');
    await second.stop();
    await start({ dataDirectory: directory, fresh: true, replicas: 3 });
    expect(fs.readFileSync(starts, 'utf8')).to.equal('r1\n');
  });

  it('refuses another number of replicas than the data has, and a damaged settings file', async () => {
    const directory = temporaryDirectory('cluster');
    await (await start({ dataDirectory: directory, replicas: 1 })).stop();
    expect(await failure(start({ dataDirectory: directory, replicas: 3 })))
      .to.contain('cluster of 1 replicas')
      .and.contain('--fresh');
    fs.writeFileSync(path.join(directory, 'settings.json'), '{"token": 1}');
    expect(await failure(start({ dataDirectory: directory }))).to.contain('settings.json is damaged');
  });

  it('refuses a second launcher with the process id of the first', async () => {
    const directory = temporaryDirectory('cluster');
    await start({ dataDirectory: directory, replicas: 1 });
    expect(await failure(start({ dataDirectory: directory }))).to.contain(`process ${process.pid}`);
  });

  it('names a port that is in use', async () => {
    const first = await start({ dataDirectory: temporaryDirectory('cluster'), replicas: 1 });
    const { port } = new URL(first.address);
    expect(await failure(start({ dataDirectory: temporaryDirectory('cluster'), replicas: 1, port: Number(port) }))).to.contain(
      `port ${port}`,
    );
  });

  it('shows the end of the log of a replica that does not start, and leaves no process', async () => {
    const directory = temporaryDirectory('cluster');
    fs.mkdirSync(path.join(directory, 'data', 'r2'), { recursive: true });
    fs.writeFileSync(path.join(directory, 'data', 'r2', 'fail'), '');
    const pids: number[] = [];
    const message = await failure(
      start({
        dataDirectory: directory,
        onProgress: () => {
          if (fs.existsSync(path.join(directory, 'cluster.json')))
            pids.push(...clusterJson(directory).processes.flatMap(({ pid }) => pid ?? []));
        },
      }),
    );
    expect(message)
      .to.contain('r2 did not start: it ended with status 3')
      .and.contain(path.join('logs', 'r2.log'))
      .and.contain('the database is damaged');
    for (const pid of pids) expect(processExists(pid), String(pid)).to.equal(false);
    await (await start({ dataDirectory: directory, fresh: true })).stop();
  });

  it('starts controller managers after the servers, and stops them before', async () => {
    const directory = temporaryDirectory('cluster');
    const lines: string[] = [];
    const ended: string[] = [];
    const cluster = await start({
      dataDirectory: directory,
      replicas: 1,
      managers: 2,
      onProgress: (line) => lines.push(line),
      onExit: ({ spec }) => ended.push(spec.name),
    });
    expect(
      clusterJson(directory)
        .processes.filter(({ role }) => role === 'controller-manager')
        .map(({ name }) => name),
    ).to.deep.equal(['cm1', 'cm2']);
    const ready = lines.flatMap((line) => (/ is ready/.test(line) ? [line.split(' ')[0]] : []));
    expect(ready.slice(2)).to.have.members(['cm1', 'cm2']);
    await cluster.managers[0]?.kill('SIGKILL');
    expect(clusterJson(directory).processes.find(({ name }) => name === 'cm1')?.pid).to.equal(null);
    await cluster.startStopped();
    expect(cluster.managers.map(({ running }) => running)).to.deep.equal([true, true]);
    await cluster.stop();
    expect(ended.slice(-4, -2)).to.have.members(['cm1', 'cm2']);
    expect(ended).to.have.length(5);
  });

  it('starts a manager again that failed, also where nobody wants to hear of it', async () => {
    let again = (): void => undefined;
    const ready = new Promise<void>((resolve) => {
      again = resolve;
    });
    let up = false;
    const cluster = await start({
      dataDirectory: temporaryDirectory('cluster'),
      replicas: 1,
      managers: 1,
      restartFailed: true,
      onProgress: (line) => {
        if (up && line.startsWith('cm1 is ready')) again();
      },
    });
    up = true;
    const [manager] = cluster.managers;
    const pid = manager?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await ready;
    expect(manager?.pid).not.to.be.oneOf([null, pid]);
  });

  it('starts a manager again that failed, and only reports an API server that was killed', async () => {
    const directory = temporaryDirectory('cluster');
    const ends: [string, number | null][] = [];
    let again = (_: string): void => undefined;
    const ready = new Promise<string>((resolve) => {
      again = resolve;
    });
    let up = false;
    const cluster = await start({
      dataDirectory: directory,
      replicas: 1,
      managers: 1,
      restartFailed: true,
      onProgress: (line) => {
        if (up && line.startsWith('cm1 is ready')) again(line);
      },
      onExit: ({ spec }, _, restartInMs) => ends.push([spec.name, restartInMs]),
    });
    up = true;
    const [manager, server] = [cluster.managers[0], cluster.members[0]?.process];
    const pids = [manager?.pid ?? 0, server?.pid ?? 0];
    // From outside the launcher.
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    expect(await ready).to.match(/^cm1 is ready/);
    expect(manager?.pid).not.to.be.oneOf([null, pids[0]]);
    expect(clusterJson(directory).processes.find(({ name }) => name === 'cm1')?.pid).to.equal(manager?.pid);
    expect(server?.running).to.equal(false);
    expect(ends).to.have.deep.members([
      ['cm1', 1_000],
      ['r1', null],
    ]);
    await cluster.stop();
    expect(ends.slice(2)).to.have.deep.members([
      ['cm1', null],
      ['balancer', null],
    ]);
  });

  it('keeps cluster.json true when a replica is killed and started again', async () => {
    const directory = temporaryDirectory('cluster');
    const cluster = await start({ dataDirectory: directory });
    const [member] = cluster.members;
    if (!member) throw new Error('no member');
    await member.process.kill('SIGKILL');
    expect(clusterJson(directory).processes[0]?.pid).to.equal(null);
    await member.restart();
    expect(clusterJson(directory).processes[0]?.pid).to.equal(member.process.pid);
  });
});

describe('raftplane up', () => {
  const launchers: ChildProcess[] = [];
  afterEach(async () => {
    for (const launcher of launchers.splice(0)) {
      if (launcher.exitCode !== null || launcher.signalCode !== null) continue;
      launcher.kill('SIGKILL');
      await once(launcher, 'exit');
    }
  });
  const run = (...args: string[]): ChildProcess => {
    const launcher = spawn(process.execPath, [command, 'up', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    launchers.push(launcher);
    return launcher;
  };
  const output = async (launcher: ChildProcess): Promise<{ code: number; text: string }> => {
    let text = '';
    for (const stream of [launcher.stdout, launcher.stderr])
      stream?.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    const [code] = (await once(launcher, 'close')) as [number];
    return { code, text };
  };

  it('explains its options', async () => {
    const { code, text } = await output(run('--help'));
    expect(code).to.equal(0);
    for (const option of ['--data-dir', '--port', '--replicas', '--managers', '--fake-nodes', '--fresh']) expect(text).to.contain(option);
  });

  it('refuses options and values that do not exist', async () => {
    for (const [args, named] of [
      [['--wrong'], '--wrong'],
      [['--port', 'x'], '"x"'],
      [['--replicas', '2'], '2'],
      [['--managers', '-1'], '-1'],
      [['--fake-nodes', '5001'], '5001'],
      [['extra'], 'argument'],
    ] as const) {
      const { code, text } = await output(run(...args));
      expect(code, text).to.equal(2);
      expect(text).to.contain(named);
    }
  });
});

/** False for a zombie process. */
function isRunning(pid: number): boolean {
  if (!processExists(pid)) return false;
  const commandLine = `/proc/${pid}/cmdline`;
  return !fs.existsSync('/proc/self/cmdline') || (fs.existsSync(commandLine) && fs.readFileSync(commandLine).length > 0);
}

async function failure(promise: Promise<unknown>): Promise<string> {
  const result = await promise.then(
    () => 'it succeeded',
    (error: unknown) => String(error),
  );
  expect(result).not.to.equal('it succeeded');
  return result;
}

describe('deploy/leash', () => {
  it('ends the processes of a launcher that was killed', async () => {
    const directory = temporaryDirectory('cluster');
    const script = `import { startCluster } from ${JSON.stringify(new URL('../../../deploy/cluster.js', import.meta.url).href)};
      await startCluster({ dataDirectory: ${JSON.stringify(directory)}, replicas: 1, managers: 2, apiserverProgram: ${JSON.stringify(fakeApiserver)} });
      process.stdout.write('up'); setInterval(() => {}, 1000);`;
    const launcher = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(launcher.stdout, 'data');
    const pids = (JSON.parse(fs.readFileSync(path.join(directory, 'cluster.json'), 'utf8')) as ClusterJson).processes.map(
      ({ pid }) => pid ?? 0,
    );
    expect(pids).to.have.length(4);
    launcher.kill('SIGKILL');
    await once(launcher, 'exit');
    while (pids.some(isRunning)) await delay(10);
    // Leftovers of the killed launcher do not block the next one.
    await (await startCluster({ dataDirectory: directory, apiserverProgram: fakeApiserver })).stop();
  });
});
