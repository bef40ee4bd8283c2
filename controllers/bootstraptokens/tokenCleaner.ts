import { isTerminating, keyOf, keyTextOf, uidOf } from '../../api/meta/object.js';
import { type Secret, secrets } from '../../api/types/core/v1.js';
import { QueueController, type Controller } from '../client/controller.js';
import { isNotFound, unless } from '../client/errors.js';
import type { ManagerEnvironment } from '../environment.js';
import { tokenSecrets } from './secrets.js';
import { remainingMs } from './tokens.js';

export function bootstrapTokenCleaner(environment: ManagerEnvironment): Controller {
  const { api, clock } = environment;
  const tokens = tokenSecrets(environment);
  const sync = async (key: string): Promise<void | { againAfterMs: number }> => {
    const secret = tokens.cache.get(key);
    if (!secret || isTerminating(secret)) return;
    const { resourceVersion } = secret.metadata;
    const left = remainingMs(secret, clock.now());
    if (left === null) return;
    if (left > 0) return { againAfterMs: left };
    const preconditions = { uid: uidOf(secret), ...(resourceVersion === undefined ? {} : { resourceVersion }) };
    await unless(isNotFound, api.delete(secrets, keyOf(secret), { preconditions }));
  };
  const controller: QueueController = new QueueController(environment, { name: 'token_cleaner', sync });
  const queue = (secret: Secret): void => controller.queue.add(keyTextOf(secret));
  controller.owns(tokens).addHandlers({ added: queue, changed: (_, after) => queue(after) });
  return controller;
}
