import { expect } from 'chai';
import { once } from 'node:events';
import fs from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { pageHeaders } from '../../server/console/headers.js';
import { index, PageFiles } from '../../server/console/files.js';
import { noBrowser, startBrowser, WatchedPage } from '../fixtures/browser.js';
import { createAuthority } from '../fixtures/certificates.js';
import { temporaryDirectory } from '../fixtures/temporaryDirectory.js';

const objects = 10_000;
/** 1,000 changes a minute for an hour. */
const changes = 60_000;
const columns = [
  { name: 'Name', type: 'string', priority: 0 },
  { name: 'Count', type: 'integer', priority: 0 },
];
const nameOf = (index: number): string => `object-${String(index).padStart(5, '0')}`;
const rowOf = (index: number, count: number): object => ({
  cells: [nameOf(index), count],
  object: {
    metadata: {
      name: nameOf(index),
      namespace: 'load',
      uid: `u${index}`,
      resourceVersion: String(count),
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
  },
});

/** A stand-in server for the table: many objects, and changes at the page's speed. */
class LoadServer {
  readonly #server: https.Server;
  readonly #files = new PageFiles();
  #watch: ((stream: NodeJS.WritableStream) => void) | null = null;
  readonly watched: Promise<NodeJS.WritableStream>;

  private constructor(cert: Buffer, key: Buffer) {
    this.watched = new Promise((resolve) => (this.#watch = resolve));
    this.#server = https.createServer({ cert, key }, (request, response) => void this.#answer(request.url ?? '', response));
  }

  static async start(): Promise<{ readonly server: LoadServer; readonly origin: string }> {
    const { certFile, keyFile } = await (await createAuthority(temporaryDirectory('load'))).issuePeer('r1');
    const server = new LoadServer(fs.readFileSync(certFile), fs.readFileSync(keyFile));
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return { server, origin: `https://127.0.0.1:${(server.#server.address() as AddressInfo).port}` };
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(url: string, response: import('node:http').ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(url, 'https://localhost');
    const json = (body: unknown): void => void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    if (pathname.startsWith('/console')) {
      const file = await this.#files.get(pathname === '/console' ? index : pathname.slice('/console/files/'.length), false);
      for (const [name, value] of Object.entries(pageHeaders)) response.setHeader(name, value);
      response.statusCode = file === null ? 404 : 200;
      return void response.setHeader('content-type', file?.type ?? 'text/plain').end(file?.bytes);
    }
    if (pathname.endsWith('/selfsubjectreviews')) return json({ status: { userInfo: { username: 'load' } } });
    if (pathname === '/api')
      return json({
        items: [
          {
            metadata: { name: '' },
            versions: [
              {
                version: 'v1',
                resources: [{ resource: 'things', scope: 'Namespaced', responseKind: { kind: 'Thing' }, verbs: ['list', 'watch'] }],
              },
            ],
          },
        ],
      });
    if (pathname === '/apis') return json({ items: [] });
    if (pathname === '/api/v1/namespaces') return json({ items: [] });
    if (pathname !== '/api/v1/things') return void response.writeHead(404).end();
    if (searchParams.get('watch') === null)
      return json({
        metadata: { resourceVersion: '1' },
        columnDefinitions: columns,
        rows: Array.from({ length: objects }, (_, index) => rowOf(index, 0)),
      });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    this.#watch?.(response);
  }
}

describe('cluster/consoleLoad', function () {
  this.timeout(240_000);
  let browser: Browser;
  let started: Awaited<ReturnType<typeof LoadServer.start>>;

  before(async function () {
    if (noBrowser !== null) {
      console.log(`    ${noBrowser}`);
      return this.skip();
    }
    started = await LoadServer.start();
    browser = await startBrowser();
  });
  after(async () => {
    await browser?.close();
    started?.server.stop();
  });

  it(`draws the rows in sight of ${objects}, follows ${changes} changes, and keeps no more memory afterwards`, async () => {
    const { server, origin } = started;
    const watched = await WatchedPage.open(browser, origin);
    const { page } = watched;
    await page.goto(`${origin}/console`);
    await page.getByLabel('Bearer token').fill('load');
    await page.getByRole('button', { name: 'Sign in with the token' }).click();
    await page.evaluate("location.hash = '#objects/core/things'");
    await page.locator(`[data-rows="${objects}"]`).waitFor();
    expect(await page.locator('.rows .row').count()).to.be.lessThan(80);

    const stream = await server.watched;
    await change(stream, 0, changes / 6);
    await seen(page, changes / 6);
    const before = await heapOf(page);
    await change(stream, changes / 6, changes);
    await seen(page, changes);
    expect((await heapOf(page)) / before, 'heap after an hour, of that after ten minutes').to.be.lessThan(1.25);

    // A figure without limit, because it depends on the machine.
    const frames = page.evaluate<Frames>(framesOver(4_000));
    const sentAtPace = await changeAtPace(stream, changes, 4_000);
    const { count, p50, p95, p99, longest } = await frames;
    console.log(
      `      ${objects} rows, ${Math.round(sentAtPace / 4)} changes/s: ${Math.round(count / 4)} frames/s, frame p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms, longest ${longest} ms`,
    );
    await seen(page, changes + sentAtPace);

    await page.locator('.rows .row').first().focus();
    await page.keyboard.press('End');
    await page
      .locator('.rows .row')
      .getByText(nameOf(objects - 1))
      .waitFor();
    expect(await page.locator('.rows .row').count()).to.be.lessThan(80);
    expect(watched.faults).to.deep.equal([]);
    await watched.close();
  });
});

/** Changes objects in turn, and the first one last, so that its change marks the end. */
async function change(stream: NodeJS.WritableStream, from: number, to: number): Promise<void> {
  for (let count = from + 1; count <= to; count++) {
    const index = count === to ? 0 : 1 + (count % (objects - 1));
    const line = `${JSON.stringify({ type: 'MODIFIED', object: { rows: [rowOf(index, count)] } })}\n`;
    if (!stream.write(line)) await once(stream, 'drain');
    else if (count % 500 === 0) await nextTurn();
  }
}

interface Frames {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
}

/** Measures the intervals of the page's frames while the table scrolls. */
const framesOver = (ms: number): string => `new Promise((resolve) => {
  const times = [];
  const table = document.querySelector('.rows').closest('[role=grid], .table') ?? document.querySelector('.rows').parentElement;
  const begun = performance.now();
  let last = begun;
  const frame = () => {
    const now = performance.now();
    times.push(now - last);
    last = now;
    table.scrollTop = (table.scrollTop + 7) % 400;
    if (now - begun < ${ms}) return requestAnimationFrame(frame);
    table.scrollTop = 0;
    times.sort((a, b) => a - b);
    const at = (share) => Math.round(times[Math.min(times.length - 1, Math.floor(share * times.length))] * 10) / 10;
    resolve({ count: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), longest: at(1) });
  };
  requestAnimationFrame(frame);
})`;

async function changeAtPace(stream: NodeJS.WritableStream, from: number, ms: number): Promise<number> {
  const begun = performance.now();
  let sent = 0;
  while (performance.now() - begun < ms) {
    const due = Math.floor(performance.now() - begun);
    if (due > sent) await change(stream, from + sent, from + due);
    sent = Math.max(sent, due);
    await nextTurn();
  }
  return sent;
}

const seen = (page: Page, count: number): Promise<void> =>
  page.locator('.rows .row').first().getByText(String(count), { exact: true }).waitFor({ timeout: 120_000 });

/** Bytes after garbage collection. */
async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}
