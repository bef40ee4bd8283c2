import type { PeerMessage, Transport } from '../../../../raft/transport/contract.js';
import type { Identity } from '../../../../raft/transport/handshake.js';
import { transportLimits } from '../../../../raft/transport/limits.js';
import { createTransport } from '../../../../raft/transport/transport.js';
import type { TestCertificate } from '../../../fixtures/certificates.js';

export interface Happening {
  readonly what: 'message' | 'space' | 'snapshot' | 'connected' | 'disconnected' | 'refused' | 'log';
  readonly from: string;
  readonly detail: string;
}

/** A transport whose events can be awaited. */
export class Station {
  transport!: Transport;
  readonly happenings: Happening[] = [];
  readonly known = new Map<string, string>();
  diskFails = false;
  #waiting: { matches: (happening: Happening) => boolean; resolve: (happening: Happening) => void }[] = [];

  constructor(
    readonly identity: Identity,
    readonly directory: string,
    readonly tls: TestCertificate,
  ) {}

  async start(listenAddress: string | null = '127.0.0.1:0'): Promise<this> {
    this.transport = await createTransport({
      self: this.identity,
      listenAddress,
      advertisedAddress: null,
      tls: this.tls,
      snapshotDirectory: this.directory,
      reserveOf: () => 0,
      random: () => 0.5,
      remember: (id, incarnation) => {
        if (this.diskFails) return 'diskFailed';
        const before = this.known.get(id) ?? incarnation;
        this.known.set(id, before);
        return before === incarnation ? 'same' : 'different';
      },
      log: (_level, message, fields) =>
        this.#happen({
          what: 'log',
          from: String(fields?.['peer'] ?? fields?.['remote'] ?? ''),
          detail: `${message}: ${fields?.['reason'] ?? ''}`,
        }),
      handlers: {
        onMessage: (from, message) => this.#happen({ what: 'message', from, detail: describeMessage(message) }),
        onSnapshot: (from, _announcement, path) => this.#happen({ what: 'snapshot', from, detail: path }),
        onPeerConnected: (from) => this.#happen({ what: 'connected', from, detail: '' }),
        onPeerSpace: (from, code) => this.#happen({ what: 'space', from, detail: String(code) }),
        onPeerDisconnected: (from) => this.#happen({ what: 'disconnected', from, detail: '' }),
        onRefused: (from, reason) => this.#happen({ what: 'refused', from, detail: reason }),
      },
    });
    const { transport } = this;
    const beats = setInterval(() => transport.beat(performance.now()), transportLimits.pingMs / 4);
    const close = transport.close.bind(transport);
    transport.close = () => {
      clearInterval(beats);
      return close();
    };
    return this;
  }

  get address(): string {
    return this.transport.address ?? '';
  }

  meet(...others: Station[]): void {
    this.transport.setPeers(new Map(others.map((other) => [other.identity.id, other.address])), new Set());
  }

  /** The first past or future event of this kind whose detail contains `detail`. */
  async seen(what: Happening['what'], detail = ''): Promise<Happening> {
    const matches = (happening: Happening): boolean => happening.what === what && happening.detail.includes(detail);
    return this.happenings.find(matches) ?? new Promise((resolve) => this.#waiting.push({ matches, resolve }));
  }

  #happen(happening: Happening): void {
    this.happenings.push(happening);
    this.#waiting = this.#waiting.filter((waiter) => {
      if (!waiter.matches(happening)) return true;
      waiter.resolve(happening);
      return false;
    });
  }
}

const describeMessage = (message: PeerMessage): string =>
  message.channel === 'raft' ? `${message.message.type} ${message.message.term}` : `${message.message.type} ${message.message.term}`;
