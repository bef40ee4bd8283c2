import fs from 'node:fs';
import type { Controller } from '../client/controller.js';
import { isConflict, isNotFound, messageOf, unless } from '../client/errors.js';
import { Informer } from '../client/informer.js';
import { nameOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { type Secret, secrets, type ServiceAccount, serviceAccounts } from '../../api/types/core/v1.js';
import { work, WorkQueue } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { accountOf, claimsFor, filled, gapsIn, tokenType, withoutReference } from './plan.js';
import { signerWith, type Signer } from './signer.js';

/** Null without a signing key. */
export function tokensController(environment: ManagerEnvironment): Controller | null {
  const file = environment.options['service-account-private-key-file'];
  return file ? new TokensController(environment, signerIn(file)) : null;
}

/** Reads the key on demand: a missing file must not end this manager when it begins to lead. */
function signerIn(file: string): Signer {
  let sign: Signer | null = null;
  return (claims) => (sign ??= signerWith(fs.readFileSync(file, 'utf8')))(claims);
}

/** A secret at its last event: after its deletion, only this names its account. */
interface Subject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly account: { readonly name: string; readonly uid: string };
}

const subjectOf = (secret: Secret): Subject => ({
  namespace: namespaceOf(secret),
  name: nameOf(secret),
  uid: uidOf(secret),
  account: accountOf(secret),
});

export class TokensController implements Controller {
  readonly #environment: ManagerEnvironment;
  readonly #sign: Signer;
  readonly name = 'serviceaccount_tokens_secret';
  readonly #queue: WorkQueue;
  /** Watches only token secrets, since others may be large. */
  readonly #secrets: Informer<Secret>;
  readonly #accounts: Informer<ServiceAccount>;

  constructor(environment: ManagerEnvironment, sign: Signer) {
    this.#environment = environment;
    this.#sign = sign;
    const { api, clock, random, informers, log, metrics } = environment;
    this.#queue = new WorkQueue({ clock, ...(metrics ? { metrics: metrics(this.name) } : {}) });
    this.#secrets = new Informer({
      api,
      type: secrets,
      fieldSelector: `type=${tokenType}`,
      clock,
      random,
      onError: (error) => log('error', `${this.name}: ${messageOf(error)}`),
    });
    this.#accounts = informers.of(serviceAccounts);
    const add = (secret: Secret): void => this.#queue.add(JSON.stringify(subjectOf(secret)));
    this.#secrets.addHandlers({ added: add, changed: (_, after) => add(after), removed: add });
    this.#accounts.addHandlers({
      removed: (account) => {
        for (const secret of this.#secretsOf(account)) add(secret);
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    const { options, log } = this.#environment;
    this.#secrets.start(signal);
    await Promise.all([this.#secrets.synced(), this.#accounts.synced()]);
    const onError = (key: string, error: unknown): void => {
      if (!isConflict(error)) log('error', `${this.name}: ${key}: ${messageOf(error)}`);
    };
    await work(
      this.#queue,
      { workers: options['concurrent-serviceaccount-token-syncs'], sync: (key) => this.#sync(JSON.parse(key) as Subject), onError },
      signal,
    );
    await this.#secrets.stopped();
  }

  #secretsOf(account: ServiceAccount): readonly Secret[] {
    return this.#secrets.cache.inNamespace(namespaceOf(account)).filter((secret) => accountOf(secret).name === nameOf(account));
  }

  async #sync(subject: Subject): Promise<void> {
    const secret = this.#secrets.cache.get(`${subject.namespace}/${subject.name}`);
    if (!secret || uidOf(secret) !== subject.uid) {
      await this.#forget(subject);
      return;
    }
    const account = await this.#accountOf(secret);
    if (account) await this.#fill(secret, account);
    else
      await unless(
        (error) => isNotFound(error) || isConflict(error),
        this.#environment.api.delete(secrets, subject, { preconditions: { uid: subject.uid } }),
      );
  }

  /** Reads from the server on a miss, since the cache may lag. Null when the account does not exist, or was recreated after the secret. */
  async #accountOf(secret: Secret): Promise<ServiceAccount | null> {
    const { name, uid } = accountOf(secret);
    const namespace = namespaceOf(secret);
    const isMeant = (account: ServiceAccount): boolean => uid === '' || uidOf(account) === uid;
    const cached = this.#accounts.cache.get(`${namespace}/${name}`);
    if (cached && isMeant(cached)) return cached;
    const found = await unless(isNotFound, this.#environment.api.get(serviceAccounts, { namespace, name }));
    return found && isMeant(found) ? found : null;
  }

  async #fill(cached: Secret, account: ServiceAccount): Promise<void> {
    const { api, rootCa } = this.#environment;
    if (!gapsIn(cached, rootCa)) return;
    const latest = await unless(isNotFound, api.get(secrets, { namespace: namespaceOf(cached), name: nameOf(cached) }));
    // The watch will bring another version, handled then.
    if (!latest || latest.metadata.resourceVersion !== cached.metadata.resourceVersion) return;
    const gaps = gapsIn(latest, rootCa);
    if (!gaps) return;
    const token = gaps.token ? this.#sign(claimsFor(account, latest)) : null;
    await unless(
      (error) => isNotFound(error) || isConflict(error),
      api.update(secrets, filled(latest, account, { gaps, authority: rootCa, token })),
    );
  }

  async #forget({ namespace, name, account }: Subject): Promise<void> {
    const { api } = this.#environment;
    const cached = this.#accounts.cache.get(`${namespace}/${account.name}`);
    if (!cached || (account.uid !== '' && uidOf(cached) !== account.uid)) return;
    const latest = await unless(isNotFound, api.get(serviceAccounts, { namespace, name: account.name }));
    const changed = latest && uidOf(latest) === uidOf(cached) ? withoutReference(latest, name) : null;
    if (changed) await unless(isNotFound, api.update(serviceAccounts, changed));
  }
}
