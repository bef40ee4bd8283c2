import type { Command } from './contract.js';

/** Bytes that are not a proposal of a version this program knows, or a command that breaks a bound. */
export class MalformedCommandError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'MalformedCommandError';
  }
}

/** Names a proposal: `sequence` grows by one for each proposal of `session`. Lets the proposer recognise its own entries when they are applied. */
export interface ProposalId {
  readonly session: string;
  readonly sequence: number;
}

/** Throws MalformedCommandError when a bound is exceeded: nothing that this returns can fail to decode later. */
export function encodeProposal(session: string, sequence: number, command: Command): Uint8Array {
  throw new Error(`not implemented yet ${session} ${sequence} ${command.type}`);
}

/** Reads the header only. Throws MalformedCommandError. */
export function readProposalId(bytes: Uint8Array): ProposalId {
  throw new Error(`not implemented yet ${bytes.length}`);
}

/** Values are views into `bytes`, not copies. Throws MalformedCommandError on anything but a complete, well-formed proposal. */
export function decodeCommand(bytes: Uint8Array): Command {
  throw new Error(`not implemented yet ${bytes.length}`);
}
