import { expect } from 'chai';
import { clientFor, type WebhookClient } from '../../../../server/webhook/client.js';
import { WireBackend } from '../../../fixtures/wireBackend.js';
import { createIdentities, type Identities } from '../../../fixtures/identities.js';

const answer = (text: string): string => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

describe('connections to webhooks', () => {
  let identities: Identities;
  let service: WireBackend;
  let client: WebhookClient;
  const ask = (body: string): Promise<string> => client.post(body, { timeoutMs: 10_000 });

  before(async () => {
    identities = await createIdentities();
    const { cert, key } = await identities.issue({ name: 'hook', usage: 'serverAuth', dns: ['localhost'] });
    service = await WireBackend.start({ cert, key });
  });
  beforeEach(() => {
    service.reset();
    service.reply = ({ body }) => answer(`${body.length} bytes`);
    client = clientFor({ server: `https://localhost:${service.port}/`, ca: identities.ca });
  });
  afterEach(() => {
    client.close();
  });
  after(() => service.close());

  it('carry one question after the other, each inside its frame', async () => {
    const questions = ['a', '', 'GET / HTTP/1.1\r\n\r\n', 'é'.repeat(50_000)];
    for (const question of questions) expect(await ask(question)).to.equal(`${Buffer.byteLength(question)} bytes`);
    expect(service.connections).to.have.length(1);
    expect(service.requests).to.have.length(questions.length);
  });

  const odd: readonly (readonly [what: string, bytes: string])[] = [
    ['half an answer more', `${answer('x')}HTTP/1.1 200 OK\r\nx-a: `],
    ['an interim answer', `HTTP/1.1 103 Early Hints\r\n\r\n${answer('x')}`],
    ['trailers', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nx-a: 1\r\n\r\n'],
    ['half an answer behind a refusal', 'HTTP/1.1 500 No\r\ncontent-length: 2\r\n\r\nnoHTTP/1.1 2'],
  ];
  for (const [what, bytes] of odd) {
    it(`are not used again after ${what}, and no question gets the answer of another`, async () => {
      service.reply = () => bytes;
      await ask('first').catch(() => undefined);
      await service.connections[0]?.closed;
      service.reply = ({ body }) => answer(`to ${body}`);
      expect(await ask('second')).to.equal('to second');
      expect(service.connections[0]?.requests).to.have.length(1);
    });
  }

  it('are not used again when something comes while they are idle', async () => {
    await ask('first');
    service.connections[0]?.socket.write(answer('to another'));
    await service.connections[0]?.closed;
    expect(await ask('second')).to.equal('6 bytes');
  });
});
