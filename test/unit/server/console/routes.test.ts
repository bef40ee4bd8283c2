import { expect } from 'chai';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { Replica, ReplicaStatus } from '../../../../raft/replicaApi.js';
import type { Authorizer } from '../../../../server/authorization/authorizer.js';
import { createConsole } from '../../../../server/console/console.js';
import { RequestTap } from '../../../../server/console/requestTap.js';
import type { Servers } from '../../../../server/console/servers.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: string;
}

/** The part of an exchange that the console uses. */
class FakeExchange {
  readonly headers: Record<string, unknown> = {};
  code = 200;
  body: string | null = null;
  readonly closers: (() => void)[] = [];
  readonly exchange: Exchange;

  constructor(at: string, { method = 'GET', headers = {}, query = '', body = '' }: Asked) {
    const response = Object.assign(new EventEmitter(), {
      statusCode: 200,
      headersSent: false,
      writableLength: 0,
      setHeader: (name: string, value: unknown) => (this.headers[name] = value),
      writeHead: (code: number) => (this.code = code),
      flushHeaders: () => undefined,
      write: () => true,
      end: (bytes?: Buffer | string) => (this.body = String(bytes ?? '')),
    });
    this.exchange = {
      method,
      info: { isResource: false, path: at, verb: method.toLowerCase() },
      query: new URLSearchParams(query),
      user: { name: 'jane', uid: '', groups: [], extra: {} },
      request: { headers },
      response,
      body: () => Promise.resolve(Buffer.from(body)),
      onClose: (action: () => void) => this.closers.push(action),
    } as unknown as Exchange;
  }
}

describe('console/routes', () => {
  const folder = temporaryDirectory('page');
  const passedOn: string[] = [];
  const tap = new RequestTap();
  const someReplica: Pick<Replica, 'status'> = { status: () => Promise.resolve({ memberId: 'r1' } as ReplicaStatus) };
  const build = (
    authorize: Authorizer,
    launcherSocket: string | null = null,
    replica: Pick<Replica, 'status'> | null = someReplica,
  ): ReturnType<typeof createConsole> =>
    createConsole({
      authorize,
      servers: {
        list: () => Promise.resolve([]),
        isOwn: (name: string) => name === 'own',
        passOn: (_exchange: Exchange, name: string) => Promise.resolve(void passedOn.push(name)),
      } as unknown as Servers,
      tap,
      active: () => [],
      launcherSocket,
      replica,
      samples: { after: () => Promise.resolve([]) },
      certificates: [{ option: '--client-ca-file', file: path.join(folder, 'none.crt'), form: 'pem' }],
      folder,
    });
  const everything: Authorizer = () => ({ decision: 'allow', reason: '' });
  const ask = async (
    answer: ReturnType<typeof createConsole>,
    at: string,
    asked: Asked = {},
  ): Promise<FakeExchange & { readonly answered: boolean | number }> => {
    const fake = new FakeExchange(at, asked);
    const answered = await answer(fake.exchange).catch((error: unknown) => (error as { readonly code: number }).code);
    return Object.assign(fake, { answered });
  };

  before(() => {
    fs.writeFileSync(path.join(folder, 'index.html'), 'the page');
  });

  it('serves the page with its headers, and only by reading', async () => {
    const page = await ask(build(everything), '/console');
    expect(page).to.include({ answered: true, body: 'the page' });
    expect(page.headers).to.include({ 'x-frame-options': 'DENY', 'cache-control': 'no-cache' });
    expect((await ask(build(everything), '/console', { method: 'PUT' })).answered).to.equal(405);
    expect((await ask(build(everything), '/console/files/none.js')).answered).to.equal(false);
    expect((await ask(build(everything), '/consoles')).answered).to.equal(false);
  });

  it('tells nothing that the user could not read at its own path', async () => {
    const asked: string[] = [];
    const none: Authorizer = (attributes) => {
      asked.push(attributes.isResource ? '' : `${attributes.verb} ${attributes.path}`);
      return { decision: 'noOpinion', reason: '' };
    };
    expect((await ask(build(none), '/console/v1/status')).answered).to.equal(403);
    expect((await ask(build(none), '/console/v1/samples', { query: 'server=other' })).answered).to.equal(403);
    expect(asked).to.deep.equal(['get /raft/v1/status', 'get /metrics']);
    expect(passedOn).to.deep.equal([]);
  });

  it('answers for itself, and passes on what is about another server', async () => {
    expect((await ask(build(everything), '/console/v1/status', { query: 'server=own' })).body).to.contain('r1');
    await ask(build(everything), '/console/v1/status', { query: 'server=other' });
    expect(passedOn).to.deep.equal(['other']);
  });

  it('tells of its certificates, and passes on questions about those of others', async () => {
    expect(JSON.parse((await ask(build(everything), '/console/v1/certificates')).body ?? '')).to.deep.equal({
      certificates: [{ option: '--client-ca-file', subject: '', fingerprint: '', endsAt: null }],
    });
    passedOn.length = 0;
    await ask(build(everything), '/console/v1/certificates', { query: 'server=other' });
    expect(passedOn).to.deep.equal(['other']);
  });

  it('says that there is no replica where objects are kept elsewhere, which is not that there is no such server', async () => {
    expect((await ask(build(everything, null, null), '/console/v1/status')).answered).to.equal(501);
  });

  it('has no way to a launcher where there is none', async () => {
    for (const at of ['/console/v1/launcher', '/console/sessions'])
      expect((await ask(build(everything), at, { method: 'POST' })).answered, at).to.equal(false);
  });

  it('takes orders from pages of its own alone', async () => {
    const answer = build(everything, path.join(folder, 'none.sock'));
    const body = '{"command":"kill","target":"r1"}';
    const json = { 'content-type': 'application/json' };
    const order = async (headers: Readonly<Record<string, string>>, text = body): Promise<unknown> =>
      (await ask(answer, '/console/v1/launcher', { method: 'POST', headers, body: text })).answered;
    expect(await order({ 'content-type': 'text/plain' }), 'what a form could send').to.equal(415);
    expect(await order({ ...json, 'sec-fetch-site': 'cross-site' })).to.equal(403);
    expect(await order({ ...json, 'sec-fetch-site': 'same-site' })).to.equal(403);
    expect(await order(json, '{"command":"stop"}')).to.equal(400);
    expect(await order(json, 'no JSON')).to.equal(400);
    expect(await order({ ...json, 'sec-fetch-site': 'same-origin' }), 'nobody is at the socket').to.equal(503);
    expect((await ask(answer, '/console/sessions', { method: 'POST', headers: json, body: '{"code":"short"}' })).answered).to.equal(400);
  });

  it('bounds how many look at requests, and looks no longer than they do', async () => {
    const answer = build(everything);
    const streams = [];
    for (let count = 0; count < 32; count++) streams.push(await ask(answer, '/console/v1/requests'));
    expect(streams.every(({ answered }) => answered === true)).to.equal(true);
    expect((await ask(answer, '/console/v1/requests')).answered).to.equal(429);
    for (const { closers } of streams) for (const close of closers) close();
    expect(tap.watched).to.equal(false);
  });
});
