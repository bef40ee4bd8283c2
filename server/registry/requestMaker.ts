import { timeText } from '../../api/time.js';
import type { EnabledFeatures } from '../../program/features/gates.js';
import type { WriteOptions } from './contract.js';
import { gatedFieldDropper, type DropGatedFields } from './gatedFields.js';
import type { Whole, WriteRequest } from './writeRequest.js';

export interface RequestSource {
  readonly now: () => number;
  readonly random: () => number;
  readonly newUid: () => string;
  readonly enabled: EnabledFeatures;
}

export class RequestMaker {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #newUid: () => string;
  readonly #enabled: EnabledFeatures;
  readonly #dropGated: DropGatedFields;

  #second = Number.NaN;
  #secondText = '';

  constructor({ now, random, newUid, enabled }: RequestSource) {
    this.#now = now;
    this.#random = random;
    this.#newUid = newUid;
    this.#enabled = enabled;
    this.#dropGated = gatedFieldDropper(enabled);
  }

  /** The clock is read here and nowhere else. */
  begin({ user, verb, manager, owners, dryRun, timeoutMs, warn, annotate, asked, waiter, latency, deadline }: WriteOptions): WriteRequest {
    const random = this.#random;
    const newUid = this.#newUid;
    const enabled = this.#enabled;
    const dropGated = this.#dropGated;
    // A spread costs several microseconds.
    const request: Whole<WriteRequest> = {
      user,
      verb,
      manager,
      owners,
      dryRun,
      timeoutMs,
      warn,
      annotate,
      asked,
      waiter,
      latency,
      deadline,
      now: this.#nowText(),
      random,
      newUid,
      enabled,
      dropGated,
    };
    return request;
  }

  /** The text is made once a second. */
  #nowText(): string {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#secondText = timeText(second * 1000);
    }
    return this.#secondText;
  }
}
