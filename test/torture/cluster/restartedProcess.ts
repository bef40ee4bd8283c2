import { ManagedProcess } from '../../../deploy/managedProcess.js';

/** From the end of a process until it is started again. */
const restartMs = 200;

/** A process under a supervisor, which starts it again when it ended for a reason that asks for that; who wants it down gets it down. */
export class RestartedProcess extends ManagedProcess {
  #restart: NodeJS.Timeout | undefined;

  /** Starts it soon, unless somebody starts or ends it before. */
  startAgain(): void {
    this.#restart = setTimeout(() => { this.start(); }, restartMs);
  }

  override start(): void {
    clearTimeout(this.#restart);
    if (!this.running) super.start();
  }

  override async kill(signal?: NodeJS.Signals): Promise<void> {
    clearTimeout(this.#restart);
    await super.kill(signal);
  }

  override async stop(graceMs: number): Promise<boolean> {
    clearTimeout(this.#restart);
    return await super.stop(graceMs);
  }
}
