import { BodyBudget, bodyBytesOfAllMax, bodyBytesOfOneMax } from './bodyBudget.js';
import { UnsentBytes, unsentBytesMax } from './unsentBytes.js';

/** Limits on the bytes that the clients of one port may keep in memory. Threads that share the port have equal parts of them. */
export class PortMemory {
  readonly bodies: BodyBudget;
  readonly unsent: UnsentBytes;

  constructor(threads = 1) {
    this.bodies = new BodyBudget(bodyBytesOfAllMax / threads, bodyBytesOfOneMax / threads);
    this.unsent = new UnsentBytes(unsentBytesMax / threads);
  }
}
