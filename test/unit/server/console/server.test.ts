import { expect } from 'chai';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openInBrowser } from '../../../../deploy/cli/browser.js';
import { SignIn } from '../../../../deploy/cli/signIn.js';
import { RequestLatency } from '../../../../program/tracing/requestLatency.js';
import { AuditRecord } from '../../../../server/audit/record.js';
import { askLauncher, questionIn } from '../../../../server/console/launcher.js';
import { index, PageFiles } from '../../../../server/console/files.js';
import { pageHeaders } from '../../../../server/console/headers.js';
import { holdersIn } from '../../../../server/console/requestStream.js';
import { RequestTap } from '../../../../server/console/requestTap.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { bootstrapRights } from '../../../fixtures/bootstrapRights.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';

const built = path.join(packageRoot, 'dist', 'programs', 'console');

describe('console/page', () => {
  it('is at most 150 KB compressed, and has nothing in line and nothing of other hosts', () => {
    const compressed = fs.readdirSync(built).filter((file) => file.endsWith('.gz'));
    const bytes = compressed.reduce((sum, file) => sum + fs.statSync(path.join(built, file)).size, 0);
    expect(bytes).to.be.greaterThan(10_000).and.lessThan(150_000);
    const document = fs.readFileSync(path.join(built, index), 'utf8');
    expect(document).not.to.match(/<script(?![^>]*src=)|<style|\son\w+=|https?:/);
    for (const [, file = ''] of document.matchAll(/(?:src|href)="\/console\/files\/([^"]+)"/g))
      expect(fs.existsSync(path.join(built, file)), file).to.equal(true);
  });

  it('loads what only a terminal needs when one is opened', () => {
    const document = fs.readFileSync(path.join(built, index), 'utf8');
    expect(document).not.to.contain('emulator');
    const main = fs.readdirSync(built).find((file) => /^main-.*\.js$/.test(file))!;
    const code = fs.readFileSync(path.join(built, main), 'utf8');
    const [, emulator = ''] = /import\("\.\/(emulator-[^"]+)"\)/.exec(code) ?? [];
    expect(fs.existsSync(path.join(built, emulator)), emulator).to.equal(true);
  });

  it('says its terms where its code goes', () => {
    const licences = fs.readFileSync(path.join(packageRoot, 'dist', 'programs', 'LICENSES.txt'), 'utf8');
    for (const name of ['preact', 'uplot', 'yaml', '@xterm/headless']) expect(licences).to.match(new RegExp(`^${name} \\d`, 'mi'));
  });

  it('tells browsers to load, frame and guess nothing else', () => {
    const policy = pageHeaders['content-security-policy'] ?? '';
    expect(policy).to.contain("default-src 'none'").and.contain("frame-ancestors 'none'");
    expect(policy).not.to.match(/unsafe|\*|https?:/);
    expect(pageHeaders).to.include({ 'x-frame-options': 'DENY', 'x-content-type-options': 'nosniff' });
  });
});

describe('console/files', () => {
  const folder = temporaryDirectory('page');
  before(() => {
    fs.writeFileSync(path.join(folder, 'index.html'), 'plain');
    fs.writeFileSync(path.join(folder, 'index.html.gz'), gzipSync('plain'));
    fs.writeFileSync(path.join(folder, 'app-ABCDEFGH.js'), 'code');
    fs.writeFileSync(path.join(folder, '.hidden.js'), 'no');
    fs.writeFileSync(path.join(folder, 'notes.txt'), 'no');
  });

  it('gives the compressed form to those who read it, where there is one', async () => {
    const files = new PageFiles(folder);
    const small = await files.get('index.html', true);
    expect(small).to.include({ gzip: true, immutable: false, type: 'text/html; charset=utf-8' });
    expect(gunzipSync(small!.bytes).toString()).to.equal('plain');
    expect((await files.get('index.html', false))?.bytes.toString()).to.equal('plain');
    expect(await files.get('app-ABCDEFGH.js', true)).to.include({ gzip: false, immutable: true });
  });

  it('has no way out of its folder, and no file that is not of the page', async () => {
    const files = new PageFiles(folder);
    for (const name of [
      '../index.html',
      '..%2findex.html',
      '/etc/passwd.js',
      '.hidden.js',
      'notes.txt',
      'index.html.gz',
      '',
      'x/../index.html',
      'toString',
    ])
      expect(await files.get(name, true), name).to.equal(null);
  });
});

describe('console/rights', () => {
  const rights = bootstrapRights();
  const decide = (groups: readonly string[], verb: string, path: string): unknown =>
    rights({ isResource: false, user: { name: 'u', uid: '', groups: [...groups], extra: {} }, verb, path });
  const stranger = ['system:unauthenticated'];

  it('lets everybody load the page and sign in by a link, and nothing else below it', () => {
    for (const [verb, at] of [
      ['get', '/console'],
      ['get', '/console/'],
      ['get', '/console/files/main.js'],
      ['post', '/console/sessions'],
    ] as const)
      expect(decide(stranger, verb, at), `${verb} ${at}`).to.include({ decision: 'allow' });
    for (const [verb, at] of [
      ['get', '/console/v1/servers'],
      ['get', '/console/v1/status'],
      ['get', '/console/v1/samples'],
      ['get', '/console/v1/certificates'],
      ['get', '/console/v1/requests'],
      ['get', '/console/v1/launcher'],
      ['post', '/console/v1/launcher'],
      ['get', '/console/sessions'],
    ] as const)
      for (const groups of [stranger, ['system:authenticated']])
        expect(decide(groups, verb, at), `${verb} ${at}`).not.to.include({ decision: 'allow' });
  });
});

describe('console/requestTap', () => {
  const exchange = (more: object = {}): { readonly exchange: Exchange; end(): void } => {
    const closers: (() => void)[] = [];
    const fake = {
      info: { isResource: true, path: '/api/v1/pods', verb: 'list', group: '', resource: 'pods', subresource: '', namespace: '' },
      request: { headers: { 'user-agent': 'test' } },
      response: { headersSent: true, statusCode: 200 },
      user: { name: 'jane', uid: '', groups: [], extra: {} },
      impersonator: null,
      audit: null,
      auditId: '1',
      startedAt: 0,
      latency: new RequestLatency(),
      longRunning: false,
      address: '::1',
      method: 'GET',
      onClose: (action: () => void) => closers.push(action),
      ...more,
    };
    return { exchange: fake as unknown as Exchange, end: () => closers.forEach((close) => close()) };
  };

  it('does nothing while nobody looks, and keeps nothing afterwards', () => {
    const tap = new RequestTap();
    const unseen = exchange({
      onClose: () => {
        throw new Error('somebody listens');
      },
    });
    tap.begin(unseen.exchange);
    const stop = tap.look(() => undefined);
    const seen = exchange();
    tap.begin(seen.exchange);
    seen.end();
    expect(tap.recent().map(({ user, verb, resource, code }) => [user, verb, resource, code])).to.deep.equal([
      ['jane', 'list', 'pods', 200],
    ]);
    stop();
    expect(tap.recent()).to.deep.equal([]);
    expect(tap.watched).to.equal(false);
  });

  it('keeps the latest of what is seen, and no more', () => {
    const tap = new RequestTap();
    tap.look(() => undefined);
    for (let count = 0; count < 1_200; count++) {
      const { exchange: each, end } = exchange({ auditId: String(count) });
      tap.begin(each);
      end();
    }
    const kept = tap.recent();
    expect([kept.length, kept[0]?.id, kept.at(-1)?.id]).to.deep.equal([500, '700', '1199']);
  });

  it('tells nothing that stands in queries, and bounds what clients choose', () => {
    const tap = new RequestTap();
    tap.look(() => undefined);
    const { exchange: long, end } = exchange({ request: { url: '/x?token=secret', headers: { 'user-agent': 'a'.repeat(5_000) } } });
    tap.begin(long);
    end();
    expect(JSON.stringify(tap.recent())).to.have.length.lessThan(700).and.not.contain('secret');
  });

  it('tells what the audit log tells, also of who is behind an impersonated user', () => {
    const tap = new RequestTap();
    tap.look(() => undefined);
    const impersonated = exchange({ impersonator: { name: 'root', uid: '', groups: [], extra: {} } });
    const record = new AuditRecord(
      impersonated.exchange,
      { level: 'RequestResponse', stages: new Set(['ResponseComplete']), omitManagedFields: false },
      0,
    );
    record.requestBody({ metadata: { namespace: 'from-the-body' }, data: { key: 'secret' } });
    impersonated.exchange.audit = record;
    tap.begin(impersonated.exchange);
    impersonated.end();
    const audited = record.event('ResponseComplete', 200, 0);
    const [seen] = tap.recent();
    expect(seen).to.include({ id: audited.auditID, verb: audited.verb, user: 'jane', impersonator: 'root', namespace: 'from-the-body' });
    expect(audited).to.deep.include({ user: { username: 'root' }, impersonatedUser: { username: 'jane' } });
    expect(JSON.stringify(seen)).not.to.contain('secret');
  });

  it('tells where the time of a request went', () => {
    const tap = new RequestTap();
    tap.look(() => undefined);
    const { exchange: slow, end } = exchange();
    slow.latency.add('authorization', 0.1234567);
    slow.latency.add('etcd', 12);
    tap.begin(slow);
    end();
    expect(tap.recent()[0]?.parts).to.deep.equal({ authorization: 0.123, etcd: 12 });
  });

  it('counts who holds watches', () => {
    const watch = exchange({ longRunning: true }).exchange;
    expect(holdersIn([watch, watch, exchange().exchange])).to.deep.equal([{ user: 'jane', resource: 'pods', count: 2 }]);
  });
});

describe('console/launcher', () => {
  const answering = async (text: string): Promise<{ readonly socket: string; readonly asked: string[]; close(): void }> => {
    const socket = path.join(temporaryDirectory('launcher'), 'control.sock');
    const asked: string[] = [];
    const server = net.createServer((connection) => {
      connection
        .on('error', () => undefined)
        .once('data', (chunk: Buffer) => {
          asked.push(chunk.toString());
          connection.end(text);
        });
    });
    await new Promise<void>((listening) => server.listen(socket, listening));
    return { socket, asked, close: () => server.close() };
  };

  it('takes the result behind progress, and hands on a refusal as one', async () => {
    const good = await answering('{"progress":"r1 is ready"}\n{"result":{"ok":true}}\n');
    const bad = await answering('{"error":"there is no r9"}\n');
    try {
      expect(await askLauncher(good.socket, { command: 'kill', target: 'r1' })).to.deep.equal({ ok: true });
      expect(good.asked).to.deep.equal(['{"command":"kill","target":"r1"}\n']);
      const refusal = await askLauncher(bad.socket, { command: 'kill' }).then(
        () => null,
        (error: unknown) => error,
      );
      expect(refusal).to.include({ code: 400, message: 'there is no r9' });
    } finally {
      good.close();
      bad.close();
    }
  });

  it('says that there is nobody, when there is nobody', async () => {
    const refusal = await askLauncher(path.join(temporaryDirectory('launcher'), 'none.sock'), { command: 'status' }).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refusal).to.have.property('code', 503);
  });

  it('hands on only what the page has buttons for', () => {
    expect(questionIn({ command: 'kill', target: 'r1', more: 1 })).to.deep.equal({ command: 'kill', target: 'r1' });
    for (const body of [
      { command: 'stop' },
      { command: 'reset' },
      { command: 'redeem', target: 'x' },
      { command: 'link' },
      { command: 'kill', target: 1 },
      null,
      [],
    ])
      expect(() => questionIn(body), JSON.stringify(body)).to.throw();
  });
});

describe('console/openInBrowser', () => {
  it('names no secret among the arguments of the browser, which all users of a machine may see', () => {
    const link = `https://127.0.0.1:6443/console#code=${'x'.repeat(32)}`;
    const directory = temporaryDirectory('open');
    const begun: (readonly string[])[] = [];
    openInBrowser(link, directory, (program, args) => void begun.push([program, ...args]));
    expect(begun).to.have.length(1);
    expect(begun.flat().join(' ')).not.to.contain('code=');
    const file = begun[0]!.at(-1)!;
    expect(path.dirname(file)).to.equal(directory);
    expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
    expect(fs.readFileSync(file, 'utf8')).to.contain(link);
  });

  it('opens nothing where there is no console', () => {
    openInBrowser(null, temporaryDirectory('open'), () => expect.fail('opened'));
  });
});

describe('console/signIn', () => {
  it('takes a code once, while it is fresh, and none that it did not issue', () => {
    let now = 0;
    const signIn = new SignIn(() => now);
    const file = signIn.writeTokenFile(temporaryDirectory('token'));
    const token = fs.readFileSync(file, 'utf8').split(',')[0];
    expect(fs.statSync(file).mode & 0o777).to.equal(0o600);
    const [used, late] = [signIn.issue(), signIn.issue()];
    expect(signIn.redeem('nonsense')).to.equal(null);
    expect(signIn.redeem(used)).to.equal(token);
    expect(signIn.redeem(used)).to.equal(null);
    now = 5 * 60_000;
    expect(signIn.redeem(late)).to.equal(null);
    expect(new SignIn().issue()).not.to.equal(used);
  });

  it('keeps few codes: the oldest goes', () => {
    const signIn = new SignIn(() => 0);
    const first = signIn.issue();
    for (let count = 0; count < 16; count++) signIn.issue();
    expect(signIn.redeem(first)).to.equal(null);
  });
});
