import { expect } from 'chai';
import { chart, ratios, summary, type Line, type Report, type Turn } from '../../bench/against/report.js';
import { listeners, listeningInodes } from '../../bench/against/subject.js';
import net from 'node:net';
import { once } from 'node:events';

const turn = (perSecond: number, serverUs = 100): Turn => ({ perSecond, p50Ms: 1, p99Ms: 2, serverUs, generatorUs: 10 });
const line = (measure: string, subject: string, perSecond: number, serverUs: number): Line => ({
  ...turn(perSecond, serverUs),
  measure,
  subject,
  unit: 'requests',
});
const lines = [
  line('gets', 'ours', 300, 50),
  line('gets', 'a <b>', 100, 200),
  line('lists', 'ours', 10, NaN),
  line('lists', 'a <b>', 5, NaN),
];
const report: Report = {
  machine: 'two cores & more',
  began: '2026-01-01 00:00',
  seconds: 1,
  turns: 1,
  connections: 1,
  lines,
  residentBytes: {},
};

describe('bench/against', () => {
  it('takes the median of each figure by itself', () => {
    expect(summary([turn(10, 3), turn(30, 2), turn(20, 1)])).to.deep.equal({ ...turn(20), serverUs: 2 });
  });

  it('sets the first server beside each other one', () => {
    const more = [...lines, line('gets', 'third', 600, 25)];
    expect(more.map((each) => ratios(more, each))).to.deep.equal([
      null,
      { rate: 3, processor: 0.25 },
      null,
      { rate: 2, processor: NaN },
      { rate: 0.5, processor: 2 },
    ]);
  });

  it('draws each measure on a scale of its own, and texts as texts', () => {
    const svg = chart(report);
    const widths = [...svg.matchAll(/width="(\d+)" height="18"/g)].map(([, width]) => Number(width));
    expect(widths).to.deep.equal([450, 150, 450, 225]);
    expect(svg)
      .to.include('300/s, p99 2.0 ms, 50 µs')
      .and.to.include('10/s, p99 2.0 ms<')
      .and.to.include('two cores &#38; more')
      .and.not.to.include('<b>');
  });

  it('finds who listens on a port', async () => {
    const text = [
      '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
      '   0: 0100007F:192B 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4242 1 0',
      '   1: 0100007F:192B 0100007F:8888 01 00000000:00000000 00:00000000 00000000     0        0 4343 1 0',
      '   2: 0100007F:192C 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4444 1 0',
    ].join('\n');
    expect(listeningInodes(text, 0x192b)).to.deep.equal(['4242']);
    const listener = net.createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    try {
      expect(listeners((listener.address() as net.AddressInfo).port)).to.deep.equal([process.pid]);
    } finally {
      listener.close();
    }
  });
});
