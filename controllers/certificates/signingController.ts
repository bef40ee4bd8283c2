import fs from 'node:fs/promises';
import { timeText } from '../../api/time.js';
import { certificateSigningRequests } from '../../api/types/certificates/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import type { Authority } from './authority.js';
import { awaitsSignature, withCondition } from './requestState.js';
import { filesOf, signers, type AuthorityFiles } from './signers.js';
import { durationMs } from './validity.js';

const firstRetryMs = 200;
const workers = 5;

/** Signs approved requests for the signers whose authorities are configured. Null without any. */
export function signingController(environment: ManagerEnvironment): Controller | null {
  const { api, informers, clock, options, log } = environment;
  const authorities = new Map(
    signers.flatMap((signer) => {
      const files = filesOf(signer, options);
      return files ? [[signer.name, { ...signer, authority: authorityIn(files) }] as const] : [];
    }),
  );
  for (const { name } of signers)
    if (!authorities.has(name)) log('info', `certificate: nothing is signed for ${name}, as no authority is given`);
  if (authorities.size === 0) return null;
  const { cache } = informers.of(certificateSigningRequests);
  const sync = async (key: string): Promise<void> => {
    const request = cache.get(key);
    const signer = authorities.get(request?.spec.signerName ?? '');
    if (!request || !signer || !awaitsSignature(request)) return;
    const { readRequest } = await import('./request.js');
    const asked = readRequest(request.spec.request);
    const usages = request.spec.usages ?? [];
    const now = clock.now();
    const message = signer.refusal({ ...asked, usages });
    const livesMs = durationMs(request.spec.expirationSeconds, options['cluster-signing-duration']);
    const after =
      message === null
        ? {
            ...request,
            status: { ...request.status, certificate: base64(await (await signer.authority()).sign(asked, { usages, now, livesMs })) },
          }
        : withCondition(request, { type: 'Failed', reason: 'SignerValidationFailure', message, lastUpdateTime: timeText(now) });
    await unless(isNotFound, api.update(certificateSigningRequests, after, { subresource: 'status' }));
  };
  return new QueueController(environment, { name: 'certificate', workers, sync, backoffFirstMs: firstRetryMs }).watch(
    certificateSigningRequests,
  );
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Reads the authority's files anew each time. */
function authorityIn({ certFile, keyFile }: AuthorityFiles): () => Promise<Authority> {
  let known: { readonly texts: string; readonly authority: Promise<Authority> } | null = null;
  return async () => {
    const [certificate, key] = await Promise.all([fs.readFile(certFile, 'utf8'), fs.readFile(keyFile, 'utf8')]);
    const texts = JSON.stringify([certificate, key]);
    if (known?.texts !== texts)
      known = { texts, authority: import('./authority.js').then(({ authorityWith }) => authorityWith(certificate, key)) };
    return known.authority;
  };
}
