import { expect } from 'chai';
import { measured, RequestLatency, timed } from '../../../../program/tracing/requestLatency.js';

describe('the parts of a request', () => {
  it('add up in sequence, and count by the longest where they are beside each other', () => {
    const latency = new RequestLatency();
    for (const milliseconds of [3, 1, 2]) {
      latency.add('mutating-webhook', milliseconds);
      latency.add('validating-webhook', milliseconds);
    }
    expect(latency.times).to.deep.equal({ 'mutating-webhook': 6, 'validating-webhook': 3 });
  });

  it('are annotated as Go durations, with the whole, and under the names of the reference alone', () => {
    const latency = new RequestLatency();
    expect(latency.annotations(700), 'nothing was measured').to.deep.equal({});
    latency.add('etcd', 1_234.5678912);
    latency.add('authorization', 0.0421);
    latency.add('request-body', 5);
    latency.add('response-write', 0);
    expect(latency.annotations(1_300.25)).to.deep.equal({
      'apiserver.latency.k8s.io/etcd': '1.234567891s',
      'apiserver.latency.k8s.io/authorization': '42.1µs',
      'apiserver.latency.k8s.io/total': '1.30025s',
    });
  });

  it('include work that fails, and its outcome stays', async () => {
    const latency = new RequestLatency();
    const failed = await timed(latency, 'etcd', () => Promise.reject(new Error('gone'))).catch((error: Error) => error.message);
    expect(failed).to.equal('gone');
    expect(await timed(undefined, 'etcd', () => Promise.resolve(1))).to.equal(1);
    expect(measured(latency, 'serialize-response-object', () => 2)).to.equal(2);
    expect(Object.keys(latency.times)).to.deep.equal(['etcd', 'serialize-response-object']);
  });
});
