import { expect } from 'chai';
import type { RequestContext } from '../../../../server/endpoints/context.js';
import { writeJson } from '../../../../program/port/errors.js';
import type { Exchange } from '../../../../server/http/exchange.js';
import { plainRequest, RawHttp1, type WireAnswer } from '../../../attacks/wire/http1.js';
import { openFrontDoor, type FrontDoor } from '../../../fixtures/frontDoor.js';
import { createIdentities, type Identity } from '../../../fixtures/identities.js';

/** Heads of HTTP/1.1 requests as bytes that a client library would not send. */
describe('the head of a request', () => {
  let door: FrontDoor;
  let admin: Identity;
  before(async () => {
    const identities = await createIdentities();
    admin = await identities.issue({ name: 'admin', groups: ['system:masters'] });
    const resources = (context: RequestContext): Promise<void> => {
      writeJson(context as Exchange, 200, { url: context.request.url, extra: context.user.extra });
      return Promise.resolve();
    };
    door = await openFrontDoor({
      identities,
      server: await identities.issue({ name: 'server', usage: 'serverAuth', ip: ['127.0.0.1'] }),
      resources,
    });
  });
  after(async () => {
    await door.listener.close();
  });

  const answersTo = async (bytes: string): Promise<readonly WireAnswer[]> => {
    const client = await RawHttp1.open({ port: door.port, cert: admin.cert, key: admin.key });
    client.send(bytes);
    const answers = await client.finish();
    client.destroy();
    return answers;
  };
  const answerTo = async (bytes: string): Promise<WireAnswer> => {
    const answers = await answersTo(bytes);
    expect(answers).to.have.length(1);
    return answers[0] as WireAnswer;
  };
  const path = '/api/v1/things';

  const faults: readonly (readonly [string, string, RegExp])[] = [
    ['no Host', `GET ${path} HTTP/1.1\r\n\r\n`, /missing required Host header/],
    ['two Hosts', `GET ${path} HTTP/1.1\r\nhost: a\r\nHOST: a\r\n\r\n`, /too many Host headers/],
    ['a Host that is none', `GET ${path} HTTP/1.1\r\nhost: a b\r\n\r\n`, /malformed Host header/],
    [
      'another coding',
      `POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      /unsupported transfer encoding/,
    ],
    [
      'chunks in HTTP/1.0',
      `POST ${path} HTTP/1.0\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      /unsupported transfer encoding|400 Bad Request/,
    ],
    [
      'chunks and a length',
      `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      /400 Bad Request/,
    ],
    ['a target that is none', 'GET things HTTP/1.1\r\nhost: a\r\n\r\n', /400 Bad Request/],
  ];
  for (const [name, bytes, text] of faults) {
    it(`is refused with ${name}, and so is what comes after it`, async () => {
      const answer = await answerTo(`${bytes}${plainRequest('GET', path)}`);
      expect(answer.status).to.equal(400);
      expect(answer.body).to.match(text);
      expect(answer.headers.get('connection')).to.equal('close');
    });
  }

  it('needs no Host in HTTP/1.0', async () => {
    expect((await answerTo(`GET ${path} HTTP/1.0\r\n\r\n`)).status).to.equal(200);
  });
  it('may be longer than Node takes by itself', async () => {
    expect((await answerTo(plainRequest('GET', path, [`a: ${'x'.repeat(20_000)}`]))).status).to.equal(200);
  });

  it('may name its target in the absolute form, which nobody behind the door sees', async () => {
    const { status, body } = await answerTo(plainRequest('GET', `https://elsewhere.example:1/api/v1/things?x=1`));
    expect([status, (JSON.parse(body) as { url: string }).url]).to.deep.equal([200, '/api/v1/things?x=1']);
  });

  it('is answered with a Status when its method is none that is known', async () => {
    const answer = await answerTo(`FOO ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([405, 'application/json']);
    expect(JSON.parse(answer.body)).to.include({ kind: 'Status', code: 405, reason: 'MethodNotAllowed' });
    expect((await answerTo('FOO\r\n\r\n')).status, 'what is no request').to.equal(400);
  });

  it('after a request that is being answered cannot be answered in its place', async () => {
    const answers = await answersTo(`${plainRequest('GET', path)}FOO ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
    expect(answers.map(({ status }) => status)).to.not.include(405);
  });

  it('may ask to be somebody with any extra, whatever words it chooses', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const headers = ['impersonate-user: x', 'impersonate-group: system:masters', ...names.map((name) => `impersonate-extra-${name}: y`)];
    const { status, body } = await answerTo(plainRequest('GET', path, headers));
    expect(status).to.equal(200);
    expect(body).to.include('"__proto__":["y"]').and.include('"constructor":["y"]');
    expect((await answerTo(plainRequest('GET', path, ['impersonate-extra-constructor: y']))).status, 'without a user').to.equal(400);
  });
});
