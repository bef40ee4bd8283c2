import { loadThread, type ConsensusThread } from '../../raft/index.js';

/**
 * Imported before everything else by `main.ts`: the thread that the replica will run in loads beside the server, on another processor. It is begun before the
 * options are read, and not used where they name another store or cannot be right; it keeps no process from ending until then.
 */
const startsServer = (argv: readonly string[]): boolean =>
  argv.every((argument) => argument.startsWith('-') && !/^--?(h|help|version|etcd-servers)(=|$)/.test(argument));

const early = startsServer(process.argv.slice(2)) ? loadThread() : null;
early?.unref();

/** To be used once. */
export function consensusThread(): ConsensusThread {
  early?.ref();
  return early ?? loadThread();
}
