import { dayText } from '../../api/time.js';
import { mergePatch } from '../client/api.js';
import type { Controller } from '../client/controller.js';
import { isConflict, isNotFound, messageOf, unless } from '../client/errors.js';
import { Informer } from '../client/informer.js';
import { keyOf, keyTextOf, namespaceOf, uidOf } from '../../api/meta/object.js';
import { configMaps, type Pod, pods, type Secret, secrets, type ServiceAccount, serviceAccounts } from '../../api/types/core/v1.js';
import { every } from '../client/workQueue.js';
import type { ManagerEnvironment } from '../environment.js';
import { accountOf, tokenType } from '../serviceaccounttoken/plan.js';
import { invalidSinceLabel, knowsEnough, secretsOf, verdictOn, type Usage } from './plan.js';

const lookEveryMs = 24 * 3_600_000;
/** Servers record the start of token tracking here. */
const tracking = { namespace: 'kube-system', name: 'kube-apiserver-legacy-service-account-token-tracking' };

/** Marks, and later deletes, generated token secrets that have long been unused. */
export class TokenCleaner implements Controller {
  readonly #environment: ManagerEnvironment;
  readonly name = 'legacy_serviceaccount_token_cleaner';
  /** Only labels and annotations are needed, not the tokens. */
  readonly #secrets: Informer<Secret>;
  readonly #accounts: Informer<ServiceAccount>;
  readonly #pods: Informer<Pod>;

  constructor(environment: ManagerEnvironment) {
    this.#environment = environment;
    const { watchApi, clock, random, informers, log } = environment;
    // Its own account may write secrets, and not watch them.
    this.#secrets = new Informer({
      api: watchApi,
      type: secrets,
      fieldSelector: `type=${tokenType}`,
      metadataOnly: true,
      clock,
      random,
      onError: (error) => log('error', `${this.name}: ${messageOf(error)}`),
    });
    this.#accounts = informers.of(serviceAccounts);
    this.#pods = informers.of(pods);
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#secrets.start(signal);
    await Promise.all([this.#secrets.synced(), this.#accounts.synced(), this.#pods.synced()]);
    await every(this.#environment.clock, lookEveryMs, () => this.clean(), signal);
    await this.#secrets.stopped();
  }

  async clean(): Promise<void> {
    const { options, clock, log } = this.#environment;
    const judged = { periodMs: options['legacy-service-account-token-clean-up-period'], now: clock.now() };
    try {
      if (!knowsEnough(await this.#trackedSince(), judged.periodMs, judged.now)) return;
    } catch (error) {
      log('error', `${this.name}: cannot find out since when uses of tokens are noted: ${messageOf(error)}`);
      return;
    }
    for (const secret of this.#secrets.cache.list()) {
      const verdict = verdictOn(secret, this.#usageOf(secret), judged);
      if (verdict !== 'keep') await this.#carryOut(verdict, secret, judged.now);
    }
  }

  async #trackedSince(): Promise<string> {
    const found = await unless(isNotFound, this.#environment.api.get(configMaps, tracking));
    return found?.data?.['since'] ?? '';
  }

  #usageOf(secret: Secret): Usage {
    const namespace = namespaceOf(secret);
    const { name, uid } = accountOf(secret);
    const account = this.#accounts.cache.get(`${namespace}/${name}`);
    return {
      account: account && (uid === '' || uidOf(account) === uid) ? account : null,
      mounted: new Set(this.#pods.cache.inNamespace(namespace).flatMap(secretsOf)),
    };
  }

  /** Conditional on the judged version, which any use changes. The next check retries failures. */
  async #carryOut(verdict: 'mark' | 'delete', secret: Secret, now: number): Promise<void> {
    const { api, log } = this.#environment;
    const { resourceVersion = '' } = secret.metadata;
    const labels = { [invalidSinceLabel]: dayText(now) };
    const done =
      verdict === 'mark'
        ? api.patch(secrets, keyOf(secret), mergePatch({ metadata: { uid: uidOf(secret), resourceVersion, labels } }))
        : api.delete(secrets, keyOf(secret), { preconditions: { uid: uidOf(secret), resourceVersion } });
    await unless((error) => isNotFound(error) || isConflict(error), Promise.resolve<unknown>(done)).catch((error: unknown) =>
      log('error', `${this.name}: ${keyTextOf(secret)}: ${messageOf(error)}`),
    );
  }
}
