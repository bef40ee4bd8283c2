import { expect } from 'chai';
import { cborCodec } from '../../../../../workers/codecs/cbor.js';
import { protobufEncode } from '../../../../../workers/codecs/protobuf/index.js';
import type { JsonObject, JsonValue } from '../../../../../api/object.js';
import { patchTypeOfKind } from '../../../../../server/patch/patchType.js';
import { mutated, seeded, type Mutation } from '../../../../golden/mutations.js';
import {
  applied,
  appliesAlike,
  holdsNull,
  jsonPatchOf,
  mergePatchOf,
  movingPatchOf,
  strategicPatchOf,
} from '../../../../golden/patches.js';
import { filled } from '../../../../golden/placeholders.js';
import { listVariations, readVariations } from '../../../../golden/recordings.js';
import { call, type Answer, type Call } from '../client.js';
import { startTestServer, type TestServer } from '../harness.js';

/** Mutations of each valid object, and the first one: `MUTATIONS=100 SEED=7` for others. */
const mutationsOfEach = Number(process.env['MUTATIONS'] ?? 3);
const seed = Number(process.env['SEED'] ?? 1);

/** The client's view of a write: status, reason and causes. The order of causes follows maps. */
interface Verdict {
  readonly status: number;
  readonly reason: string;
  readonly causes: readonly string[];
}

const verdictOf = ({ status, body }: Answer): Verdict => {
  const refused = status >= 400;
  const causes = ((body['details'] as JsonObject | undefined)?.['causes'] ?? []) as { readonly field?: string; readonly reason?: string }[];
  return {
    status,
    reason: refused ? String(body['reason']) : '',
    causes: refused ? causes.map(({ field, reason }) => `${String(reason)} ${String(field)}`).sort() : [],
  };
};

/** Equivalent requests must have equal answers, without recordings. */
describe('endpoints/mutations', () => {
  let server: TestServer;
  const broken: string[] = [];
  const send = (method: string, path: string, more?: Call): Promise<Answer> => call(server.url, method, path, more);
  const judge = (ok: boolean, where: string, said: () => unknown): void => {
    if (!ok) broken.push(`${where}: ${JSON.stringify(said()).slice(0, 400)}`);
  };
  const alike = (a: Answer, b: Answer, where: string): void => {
    const [one, other] = [verdictOf(a), verdictOf(b)];
    judge(JSON.stringify(one) === JSON.stringify(other), where, () => [one, other, a.body['message'], b.body['message']]);
  };
  const handled = (answer: Answer, where: string): Answer => {
    judge(answer.status < 500, where, () => [answer.status, answer.body['message']]);
    return answer;
  };

  before(async () => {
    server = await startTestServer(undefined, { endpoints: { cbor: true } });
    await send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'n' } } });
  });
  after(() => server.close());
  beforeEach(() => broken.splice(0));

  /** Sends the encodings of one body as dry runs, then for real. */
  async function judgeCreate(path: string, { what, object }: Mutation): Promise<Answer> {
    const dry = handled(await send('POST', `${path}?dryRun=All`, { body: object }), what);
    const others: readonly (readonly [string, Buffer | string | null])[] = [
      ['application/yaml', JSON.stringify(object)],
      ['application/cbor', cborCodec.encode(object)],
      ['application/vnd.kubernetes.protobuf', dry.status === 400 ? null : protobufOf(object)],
    ];
    for (const [type, raw] of others)
      if (raw !== null) alike(dry, await send('POST', `${path}?dryRun=All`, { raw, type }), `${what} as ${type}`);
    if (dry.status !== 400 && !holdsNull(object)) {
      const name = String((object['metadata'] as JsonObject)['name']);
      await judgeApply(`${path}/${encodeURIComponent(name)}`, dry, object, `${what}, new`);
    }
    const real = handled(await send('POST', path, { body: object }), what);
    alike(dry, real, `${what} for real`);
    return real;
  }

  /** Stored objects must be valid, and equivalent changes of them have equal answers. */
  async function judgeUpdates(path: string, what: string, random: () => number): Promise<void> {
    const stored = (await send('GET', path)).body;
    const same = await send('PUT', path, { body: stored });
    const version = (object: JsonObject): unknown => (object['metadata'] as JsonObject | undefined)?.['resourceVersion'];
    judge(same.status === 200 && version(same.body) === version(stored), `${what}, written back`, () => [
      same.status,
      same.body['message'],
    ]);
    const status = await send('PUT', `${path}/status`, { body: stored });
    if (![404, 405].includes(status.status))
      judge(status.status === 200 && version(status.body) === version(stored), `${what}, status written back`, () => [
        status.status,
        status.body['message'],
      ]);
    await judgeChange(path, stored, { what, change: mutated(stored, random) });
    await judgeChange(`${path}/status`, stored, { what: `${what}, status`, change: mutated(stored, random, '/status') });
    const nothing = await send('PATCH', path, { body: {}, type: 'application/strategic-merge-patch+json' });
    judge(nothing.status === 200 && version(nothing.body) === version(same.body), `${what}, patched with nothing`, () => [
      nothing.status,
      nothing.body['message'],
    ]);
  }

  /** One change of the stored object as a PUT and two patches; `path` may be a subresource's. */
  async function judgeChange(path: string, stored: JsonObject, { what, change }: { what: string; change: Mutation }): Promise<void> {
    const where = `${what}, then ${change.what}`;
    const put = handled(await send('PUT', `${path}?dryRun=All`, { body: change.object }), where);
    if (put.status === 404 || put.status === 405) return;
    for (const { how, patch, type } of patchesOf(stored, change.object)) {
      const patched = handled(await send('PATCH', `${path}?dryRun=All`, { body: patch, type }), `${where} by ${how}`);
      // In a patch a wrong type gets another answer, because the body itself is valid.
      if (put.status !== 400) alike(put, patched, `${where} by ${how}`);
      else judge(patched.status >= 400, `${where} by ${how}`, () => patched.status);
    }
    if (put.status !== 400 && appliesAlike(stored, change.object)) await judgeApply(path, put, change.object, where);
  }

  /** An apply is validated like a create, but the object may be impossible to apply. */
  async function judgeApply(path: string, sent: Answer, object: JsonObject, where: string): Promise<void> {
    const answer = await send('PATCH', `${path}?dryRun=All&fieldManager=m&force=true`, {
      body: applied(object),
      type: 'application/apply-patch+yaml',
    });
    // Unknown fields and duplicate items have no reason, as in the reference.
    const cannotBe = answer.status === 500 && answer.body['reason'] === undefined;
    if (!cannotBe) alike(sent, answer, `${where} by apply`);
  }

  for (const [index, name] of listVariations().entries())
    it(`are judged alike in every form: ${name}`, async () => {
      const { resource, bases } = readVariations(name);
      const path = filled(resource, { ns: 'n', r: 'r' });
      const random = seeded(seed * 1000 + index);
      for (const [id, base] of Object.entries(bases)) {
        const object = filled(structuredClone(base), { ns: 'n', r: 'r' }) as JsonObject;
        const own = `${path}/${String((object['metadata'] as JsonObject)['name'])}`;
        for (let turn = 0; turn < mutationsOfEach; turn++) {
          const mutation = turn === 0 ? { what: 'as it is', object } : mutated(object, random);
          const what = `${id} ${mutation.what}`;
          const real = await judgeCreate(path, { ...mutation, what });
          if (real.status === 201) await judgeUpdates(own, what, random);
          // Without finalizers, so that the next one is new.
          await send('PATCH', own, { body: { metadata: { finalizers: null } }, type: 'application/merge-patch+json' });
          await send('DELETE', `${own}?gracePeriodSeconds=0&propagationPolicy=Background`);
        }
      }
      expect(broken, `seed ${seed}`).to.deep.equal([]);
    });
});

/** All patches for a change, except in kinds that cannot express it. */
function patchesOf(from: JsonObject, to: JsonObject): readonly { how: string; patch: JsonValue; type: string }[] {
  const apiVersion = String(from['apiVersion']).split('/');
  const [group, version] = apiVersion.length === 1 ? ['', apiVersion[0] ?? ''] : [apiVersion[0] ?? '', apiVersion[1] ?? ''];
  const type = patchTypeOfKind({ group, version, kind: String(from['kind']) });
  const whole: JsonObject[] = [
    ...Object.entries(to).map(([member, value]): JsonObject => ({ op: 'add', path: `/${member}`, value })),
    ...Object.keys(from)
      .filter((member) => !Object.hasOwn(to, member))
      .map((member): JsonObject => ({ op: 'remove', path: `/${member}` })),
  ];
  const json = 'application/json-patch+json';
  const ways: readonly { how: string; patch: JsonValue; type: string }[] = [
    { how: 'JSON patch', patch: whole, type: json },
    { how: 'JSON patch member by member', patch: jsonPatchOf(from, to), type: json },
    { how: 'JSON patch that moves', patch: movingPatchOf(from, to), type: json },
    { how: 'merge patch', patch: mergePatchOf(from, to), type: 'application/merge-patch+json' },
    { how: 'strategic merge patch', patch: strategicPatchOf(from, to, type), type: 'application/strategic-merge-patch+json' },
  ];
  return ways.filter(({ patch }) => patch !== null);
}

/** Null without a Protobuf form, such as a text for a number. */
function protobufOf(object: JsonObject): Buffer | null {
  try {
    const encoded = protobufEncode(object);
    return encoded.ok ? Buffer.from(encoded.bytes) : null;
  } catch {
    return null;
  }
}
