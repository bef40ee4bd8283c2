import { expect } from 'chai';
import { extensionGroup, shownToBackends, startWithBackends, type TargetWithBackends } from './backends.js';
import { Bystander } from './bystander.js';
import { Latencies } from '../fixtures/latencies.js';
import { Target } from './target.js';
import { plainRequest, RawHttp1 } from './wire/http1.js';
import { errorCodes, flags, frame, frameTypes, goawayFrame, pingFrame, RawHttp2, settingIds } from './wire/http2Frames.js';

/** Tests the tools of the other tests: an attack refused because of an attacker's mistake proves nothing. */
describe('attacks/tools', function () {
  let target: Target;
  before(async () => {
    target = await Target.start();
  });
  after(async () => {
    await target?.stop();
  });

  it('speaks HTTP/1.1 by hand, several requests at a time', async () => {
    const wire = await RawHttp1.open({ port: target.port });
    wire.send(
      plainRequest('GET', '/livez') +
        plainRequest('GET', '/api/v1/secrets') +
        plainRequest('POST', '/api/v1/namespaces', ['content-length: 2'], '{}'),
    );
    expect((await wire.answered(3)).map(({ status, complete }) => [status, complete])).to.deep.equal([
      [200, true],
      [403, true],
      [403, true],
    ]);
    wire.send('nonsense\r\n\r\n');
    await wire.closed;
    expect(wire.answers).to.have.length.within(3, 4);
  });

  it('speaks HTTP/2 by hand and reads every status', async () => {
    const admin = await target.user('tools-admin', { group: 'system:masters' });
    const wire = await RawHttp2.open(admin.wire);
    const wanted: [string, string, number][] = [
      ['GET', '/livez', 200],
      ['GET', '/api/v1/secrets', 200],
      ['GET', '/nowhere', 404],
      ['POST', '/version', 405],
      ['GET', '/api/v1/namespaces/default/configmaps?resourceVersion=x', 400],
    ];
    const streams = wanted.map(([method, path]) => wire.request(method, path));
    for (const [index, [method, path, status]] of wanted.entries())
      expect(await wire.answer(streams[index] as number), `${method} ${path}`).to.equal(status);
    const post = wire.request('POST', '/api/v1/namespaces', { endStream: false, fields: [['content-type', 'application/json']] });
    wire.data(post, '{"metadata":', false);
    wire.data(post, '{"name":"by-hand"}}', true);
    expect(await wire.answer(post)).to.equal(201);
    wire.send(pingFrame());
    await wire.until(() => wire.frames.some((each) => each.type === frameTypes.ping && (each.flags & flags.ack) !== 0));
    wire.send(goawayFrame(0, errorCodes.none));
    wire.destroy();
  });

  it('reports errors', async () => {
    const wire = await RawHttp2.open({ port: target.port, settings: { [settingIds.initialWindowSize]: 0 } });
    wire.send(frame(frameTypes.data, 0, 0, Buffer.alloc(1)));
    await wire.until(() => wire.goaway !== null);
    expect(wire.goaway).to.equal(errorCodes.protocol);
    wire.destroy();
  });

  it('makes users with a certificate and service accounts with a token', async () => {
    const rules = [{ verbs: ['get'], resources: ['configmaps'] }];
    const { client } = await target.user('tools', { rules });
    const account = await target.account('default', 'tools', rules);
    for (const each of [client, account.client]) {
      expect((await each.request('GET', '/api/v1/namespaces/default/configmaps/none')).status).to.equal(404);
      expect((await each.request('GET', '/api/v1/namespaces/default/secrets/none')).status).to.equal(403);
    }
  });

  it('has a bystander, and sees what is open', async () => {
    const bystander = await Bystander.start(target);
    await bystander.served(5);
    await bystander.stop();
    const before = await target.counts();
    const admin = await target.user('tools-watcher', { group: 'system:masters' });
    const wire = await RawHttp2.open(admin.wire);
    const watch = wire.request('GET', '/api/v1/namespaces?watch=true');
    await wire.until(() => wire.statuses.has(watch));
    expect((await target.counts()).longRunning).to.equal(before.longRunning + 1);
    wire.destroy();
    const after = await target.settled(before);
    expect(after.longRunning).to.equal(before.longRunning);
    expect(target.residentBytes()).to.be.above(10_000_000);
  });
});

describe('attacks/tools, latencies', () => {
  it('are told to within 5 %, the longest exactly, of any number and of several together', () => {
    const [even, odd] = [new Latencies(), new Latencies()];
    for (let ms = 1; ms <= 10_000; ms += 1) (ms % 2 === 0 ? even : odd).add(ms);
    const all = Latencies.of([even, odd]);
    expect(all.at(0.5)).to.be.within(5_000, 5_250);
    expect(all.at(0.99)).to.be.within(9_900, 10_000);
    expect([all.at(1), odd.at(1), new Latencies().at(0.5)]).to.deep.equal([10_000, 9_999, 0]);
  });
});

describe('attacks/tools, with backends', function () {
  let all: TargetWithBackends;
  before(async () => {
    all = await startWithBackends();
  });
  after(async () => {
    await all?.stop();
  });

  it('has a node and an extension server that see what reaches them', async () => {
    const {
      target: { admin },
      node,
      extension,
    } = all;
    await admin.expect(200, 'GET', '/api/v1/namespaces/default/pods/p/log');
    expect(node.seen.at(-1)).to.include({ url: '/containerLogs/default/p/c', client: shownToBackends });
    await admin.expect(200, 'GET', `/apis/${extensionGroup}/v1/things`);
    expect(extension.seen.at(-1)).to.include({ url: `/apis/${extensionGroup}/v1/things`, client: shownToBackends });
  });
});
