import { expect } from 'chai';
import { Counter, Registry } from 'prom-client';
import { DurationHistogram } from '../../../../program/metrics/durations.js';
import { resetSeries } from '../../../../program/metrics/expositionPage.js';
import { totals } from '../../../../program/metrics/totals.js';
import { readApiServerOptions } from '../../../../server/options/read.js';
import { startServer } from '../../../../server/server.js';
import { temporaryDirectory } from '../../../fixtures/temporaryDirectory.js';
import { call1, recordingLogger } from '../../../fixtures/frontDoor.js';
import { createIdentities } from '../../../fixtures/identities.js';

const shownOf = async (registry: Registry, name: string): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith(name) && !line.includes('_bucket') && !line.includes('_sum'));

describe('resets of metrics', () => {
  it('removes series, whoever keeps them, until they are counted again', async () => {
    const registry = new Registry();
    const asked = totals(registry, { name: 'asked', help: 'x', labelNames: ['verb'] });
    const took = new DurationHistogram({ name: 'took', help: 'x', labelNames: ['verb'], buckets: [1], registers: [registry] });
    const [total, series] = [asked({ verb: 'get' }), took.of({ verb: 'get' })];
    total.value = 5;
    series.observe(0.5);
    resetSeries(registry);
    expect([await shownOf(registry, 'asked'), await shownOf(registry, 'took')]).to.deep.equal([[], []]);
    total.value += 2;
    series.observe(0.5);
    expect(await shownOf(registry, 'asked')).to.deep.equal(['asked{verb="get"} 2']);
    expect(await shownOf(registry, 'took')).to.deep.equal(['took_count{verb="get"} 1']);
  });

  it('keeps metrics without labels, as the reference does', async () => {
    const registry = new Registry();
    new Counter({ name: 'plain', help: 'x', registers: [registry] }).inc(3);
    resetSeries(registry);
    expect(await shownOf(registry, 'plain')).to.deep.equal(['plain 3']);
  });

  for (const [profiling, status] of [
    [true, 200],
    [false, 405],
  ] as const)
    it(`DELETE of both pages ${profiling ? 'resets them' : 'is refused without profiling'}`, async () => {
      const identities = await createIdentities();
      const admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
      const read = readApiServerOptions([
        '--bind-address=127.0.0.1',
        '--secure-port=0',
        '--storage-backend=memory',
        `--profiling=${profiling}`,
        `--cert-dir=${temporaryDirectory('resets')}`,
        `--client-ca-file=${identities.caFile}`,
      ]);
      if (!read.ok) throw new Error(read.errors.join('\n'));
      const server = await startServer(read.options, recordingLogger([]));
      await server.ready;
      const port = Number(new URL(server.url).port);
      const ask = (method: string, path: string): ReturnType<typeof call1> => call1(port, { method, path, identity: admin });
      const isCounted = async (): Promise<boolean[]> => {
        const [metrics, slis] = await Promise.all([ask('GET', '/metrics'), ask('GET', '/metrics/slis')]);
        return [/code="404"/.test(metrics.text), /name="ping"/.test(slis.text)];
      };
      await ask('GET', '/api/v1/namespaces/absent');
      await ask('GET', '/readyz');
      expect(await isCounted()).to.deep.equal([true, true]);
      const answers = [await ask('DELETE', '/metrics'), await ask('DELETE', '/metrics/slis')];
      expect(answers.map((answer) => answer.status)).to.deep.equal([status, status]);
      if (profiling) expect(answers.map(({ text }) => text)).to.deep.equal(['metrics reset\n', 'metrics reset\n']);
      expect(await isCounted()).to.deep.equal([!profiling, !profiling]);
      await server.stop();
    });
});
