import { loadThread, type ConsensusThread } from '../../raft/index.js';

/** Imported first by `main.ts`, so that the replica's thread loads in parallel with the server. */
const startsServer = (argv: readonly string[]): boolean =>
  argv.every((argument) => argument.startsWith('-') && !/^--?(h|help|version|etcd-servers)(=|$)/.test(argument));

const early = startsServer(process.argv.slice(2)) ? loadThread() : null;
early?.unref();

export function consensusThread(): ConsensusThread {
  early?.ref();
  return early ?? loadThread();
}
