import { Writable } from 'node:stream';
import { expect } from 'chai';
import { ModuleLevels } from '../../../../program/log/moduleLevels.js';
import { createHealthRegistry } from '../../../../program/health.js';
import { LineBudget } from '../../../../program/log/lineBudget.js';
import { createLogger } from '../../../../program/log/logger.js';
import { createAccessMetrics } from '../../../../server/authentication/accessMetrics.js';
import { createMetrics } from '../../../../server/http/metrics.js';

describe('health checks', () => {
  const registry = createHealthRegistry();
  registry.add({ name: 'ping', check: () => {} }, ['healthz', 'readyz']);
  registry.add({ name: 'disk', check: () => Promise.reject(new Error('disk is full')) }, ['readyz']);
  registry.add(
    {
      name: 'shutdown',
      check: () => {
        throw new Error('stopping');
      },
    },
    ['readyz'],
  );
  const quiet = { verbose: false, exclude: [] };

  it('say "ok" when all is well, and list everything on request', async () => {
    expect(await registry.report('healthz', quiet)).to.deep.equal({ code: 200, text: 'ok', failures: [] });
    expect((await registry.report('healthz', { ...quiet, verbose: true })).text).to.equal('[+]ping ok\nhealthz check passed\n');
    expect((await registry.report('livez', { ...quiet, verbose: true })).text).to.equal('livez check passed\n');
  });
  it('list everything when something fails, and keep the reason back', async () => {
    const { code, text, failures } = await registry.report('readyz', quiet);
    expect([code, text]).to.deep.equal([
      500,
      '[+]ping ok\n[-]disk failed: reason withheld\n[-]shutdown failed: reason withheld\nreadyz check failed\n',
    ]);
    expect(failures.map(({ name, reason }) => [name, (reason as Error).message])).to.deep.equal([
      ['disk', 'disk is full'],
      ['shutdown', 'stopping'],
    ]);
  });
  it('leave out what is excluded, and say what could not be', async () => {
    const { code, text } = await registry.report('readyz', { verbose: true, exclude: ['disk', 'shutdown', 'nope', 'kms', 'nope'] });
    expect([code, text]).to.deep.equal([
      200,
      '[+]ping ok\n[+]disk excluded: ok\n[+]shutdown excluded: ok\nwarn: some health checks cannot be excluded: no matches for "kms","nope"\nreadyz check passed\n',
    ]);
  });
  it('answer for one check alone', async () => {
    expect(await registry.single('readyz', 'ping')).to.deep.include({ code: 200, text: 'ok' });
    expect(await registry.single('readyz', 'disk')).to.deep.include({ code: 500, text: 'internal server error: disk is full\n' });
    expect(await registry.single('healthz', 'disk')).to.equal(null);
  });
});

describe('the log', () => {
  function record(options: { verbosity?: number; modules?: ModuleLevels; color?: boolean; budget?: LineBudget } = {}): {
    log: ReturnType<typeof createLogger>;
    lines: () => string[];
  } {
    let text = '';
    const stream = new Writable({
      write(chunk: Buffer, _, done) {
        text += chunk.toString();
        done();
      },
    });
    return { log: createLogger({ verbosity: 0, stream, ...options }), lines: () => text.split('\n').filter((line) => line !== '') };
  }
  it('writes one line per event, whatever the fields hold', () => {
    const { log, lines } = record();
    log
      .named('http')
      .warn('refused', { uri: '/a b\n\u001b[31m', code: 400, error: new Error('outer', { cause: new Error('inner') }), absent: undefined });
    expect(lines()).to.have.length(1);
    expect(lines()[0]).to.match(/^\d{4}-\d\d-\d\dT\S+Z warn {2}http: refused uri="\/a b\\n\\u001b\[31m" code=400 error="outer: inner"$/);
  });
  it('never prints secrets', () => {
    const { log, lines } = record();
    log.info('x', { token: 'abc', Authorization: 'Bearer abc', clientSecret: 'abc', privateKey: 'abc' });
    expect(lines()[0]).not.to.include('abc');
  });
  it('cuts fields that are far too long', () => {
    const { log, lines } = record();
    log.info('x', { uri: 'a'.repeat(100_000) });
    expect(lines()[0]!.length).to.be.below(3_000);
  });
  it('writes so many lines a minute of one event, then the last and how many were left out, whatever others write', () => {
    const due: { at: number; callback: () => void }[] = [];
    let now = 0;
    const pass = (ms: number): void => {
      now += ms;
      for (const { callback } of due.splice(0).filter((timer) => timer.at <= now || due.push(timer) === 0)) callback();
    };
    const { log, lines } = record({
      budget: new LineBudget({
        now: () => now,
        after: (ms, callback) => {
          due.push({ at: now + ms, callback });
        },
      }),
    });
    for (let i = 0; i < 10_000; i++) log.warn('refused credentials', { i });
    log.warn('disk is full');
    expect(lines()).to.have.length(31);
    expect(lines().at(-1)).to.include('disk is full');
    pass(59_000);
    expect(lines()).to.have.length(31);
    pass(1_000);
    expect(lines().at(-1)).to.match(/refused credentials i=9999 omitted=9969$/);
    for (let i = 0; i < 100; i++) log.warn('refused credentials', { i });
    expect(lines(), 'the sum counts for the next minute').to.have.length(32 + 29);
    pass(60_000);
    expect(lines().at(-1)).to.match(/ i=99 omitted=70$/);
    expect(due, 'no timer while nothing is left out').to.deep.equal([]);
  });
  it('writes all that was asked for by verbosity', () => {
    const { log, lines } = record({ verbosity: 1 });
    for (let i = 0; i < 1_000; i++) log.debug(1, 'request', { i });
    expect(lines()).to.have.length(1_000);
  });
  it('counts kinds without end in bounded memory', () => {
    const written: string[] = [];
    const budget = new LineBudget({ now: () => 0, after: () => {} });
    for (let i = 0; i < 100_000; i++)
      budget.write(`kind ${i}`, () => {
        written.push(`kind ${i}`);
      });
    expect(written).to.have.length(1_030);
  });
  it('writes as much as -v and --vmodule ask for', () => {
    const { log, lines } = record({ verbosity: 1, modules: new ModuleLevels([['acc*', 3]]) });
    log.debug(1, 'one');
    log.debug(2, 'two');
    log.named('access').debug(3, 'three');
    log.named('access').debug(4, 'four');
    expect(lines().map((line) => line.split(' ').at(-1))).to.deep.equal(['one', 'three']);
  });
  it('uses no colors unless on a terminal', () => {
    const plain = record();
    const coloured = record({ color: true });
    for (const { log } of [plain, coloured]) log.error('x');
    expect(plain.lines()[0]).not.to.include('\u001b');
    expect(coloured.lines()[0]).to.include('\u001b[31m');
  });
});

describe('metrics', () => {
  it('leave out what is disabled, and keep going when a reading fails', async () => {
    const metrics = createMetrics({
      disabled: ['apiserver_request_total', 'gone', 'apiserver_current_inflight_requests', 'authentication_attempts'],
    });
    metrics.gauge('gone', 'x', () => 1);
    metrics.inflight(() => ({ readOnly: 1, mutating: 1 }));
    createAccessMetrics(metrics.registry);
    metrics.gauge('broken', 'x', () => Promise.reject(new Error('no')));
    metrics.gauge('fine', 'x', () => 7);
    const text = await metrics.registry.metrics();
    expect(text)
      .to.match(/^fine 7$/m)
      .and.match(/authenticated_user_requests/)
      .and.not.match(/apiserver_request_total|^gone|current_inflight|authentication_attempts/m);
  });
  it('tell sizes of what is read and written, and what was turned away', async () => {
    const metrics = createMetrics();
    const base = {
      isResource: true,
      path: '',
      group: 'g',
      version: 'v1',
      namespace: '',
      resource: 'r',
      subresource: '',
      name: '',
      rest: [],
    } as const;
    const plain = { method: 'GET', code: 200, seconds: 0.001, longRunning: false, answerBytes: 5_000, bodyBytes: null, terminated: false };
    metrics.requests.observe({ ...plain, info: { ...base, verb: 'list' } });
    metrics.requests.observe({ ...plain, info: { ...base, verb: 'create' }, method: 'POST', bodyBytes: 60_000 });
    metrics.requests.observe({ ...plain, info: { ...base, verb: 'watch' }, longRunning: true });
    metrics.requests.observe({ ...plain, info: { ...base, verb: 'list' }, code: 429, terminated: true });
    const shown = async (name: string, series: RegExp): Promise<string[]> =>
      (await metrics.registry.getSingleMetricAsString(name)).split('\n').filter((line) => series.test(line));
    const list = 'component="apiserver",verb="LIST",group="g",version="v1",resource="r",subresource="",scope="cluster"';
    expect((await shown('apiserver_request_total', /verb="POST"/)).join()).to.include('scope="resource"');
    expect(await shown('apiserver_response_sizes', /_sum\{/)).to.deep.equal([`apiserver_response_sizes_sum{${list}} 10000`]);
    expect(await shown('apiserver_request_body_size_bytes', /le="50000"|le="150000"|_sum/)).to.deep.equal([
      'apiserver_request_body_size_bytes_bucket{le="50000",group="g",resource="r",verb="create"} 0',
      'apiserver_request_body_size_bytes_bucket{le="150000",group="g",resource="r",verb="create"} 1',
      'apiserver_request_body_size_bytes_sum{group="g",resource="r",verb="create"} 60000',
    ]);
    expect(await shown('apiserver_request_terminations_total', /^apiserver/)).to.deep.equal([
      `apiserver_request_terminations_total{${list},code="429"} 1`,
    ]);
  });

  it('stay small when clients invent resources', async () => {
    const metrics = createMetrics();
    for (let i = 0; i < 1_000; i++) {
      metrics.requests.observe({
        info: {
          isResource: true,
          path: '',
          verb: 'get',
          group: 'g',
          version: 'v1',
          namespace: '',
          resource: `r${i}`,
          subresource: '',
          name: 'x',
          rest: [],
        },
        method: 'GET',
        code: 404,
        seconds: 0.001,
        longRunning: false,
        answerBytes: 10,
        bodyBytes: null,
        terminated: i % 2 === 0,
      });
    }
    expect((await metrics.registry.getSingleMetricAsString('apiserver_request_total')).split('\n')).to.have.length(3);
    expect((await metrics.registry.getSingleMetricAsString('apiserver_request_terminations_total')).split('\n')).to.have.length(3);
  });
});
