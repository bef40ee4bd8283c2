import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeCommand, encodeProposal, readProposalId } from '../../../../raft/store/command.js';
import { ByteReader, ByteWriter } from '../../../../raft/transport/bytes.js';
import { readForward, readMessage, writeForward, writeMessage } from '../../../../raft/transport/encoding.js';
import { readHello, readRefusal, writeHello, writeRefusal } from '../../../../raft/transport/handshake.js';
import { packageRoot } from '../../../fixtures/packageRoot.js';
import { commands, forwards, from, hellos, messages, refusals, to } from './wireSamples.js';

const folder = join(packageRoot, 'test', 'fixtures', 'wire');

interface Recording {
  readonly messages: readonly string[];
  readonly forwards: readonly string[];
  readonly hellos: readonly string[];
  readonly refusals: readonly string[];
  readonly commands: readonly string[];
}

interface Form<T> {
  readonly values: readonly T[];
  readonly write: (value: T) => Uint8Array;
  readonly read: (bytes: Uint8Array) => T;
}

const form = <T>(values: readonly T[], write: (writer: ByteWriter, value: T) => void, read: (reader: ByteReader) => T): Form<T> => ({
  values,
  write: (value) => {
    const writer = new ByteWriter();
    write(writer, value);
    return writer.take();
  },
  read: (bytes) => read(new ByteReader(Buffer.from(bytes))),
});

const proposal = { session: 'session', sequence: 12 };
const forms: { readonly [Name in keyof Recording]: Form<unknown> } = {
  messages: form(messages, writeMessage, (reader) => readMessage(reader, from, to)) as Form<unknown>,
  forwards: form(forwards, writeForward, readForward) as Form<unknown>,
  hellos: form(hellos, writeHello, readHello) as Form<unknown>,
  refusals: form(refusals, writeRefusal, readRefusal) as Form<unknown>,
  commands: {
    values: commands,
    write: (command) => encodeProposal(proposal.session, proposal.sequence, command as (typeof commands)[number]),
    read: (bytes) => {
      expect(readProposalId(bytes)).to.deep.include(proposal);
      return decodeCommand(bytes);
    },
  },
};

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
/** Compares byte arrays by content. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_name, inner: unknown) =>
      inner instanceof Uint8Array
        ? hexOf(inner)
        : (inner as { type?: string } | null)?.type === 'Buffer'
          ? hexOf(Buffer.from((inner as { data: number[] }).data))
          : inner,
    ),
  );

/**
 * Each file has all messages between replicas from the program of a commit. Programs of one protocol version must read and write the same, because builds mix
 * during an upgrade. Released files never change.
 */
describe('what earlier programs sent to other replicas', () => {
  for (const file of readdirSync(folder)) {
    const recording = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recording;
    for (const name of Object.keys(forms) as (keyof Recording)[])
      it(`${file}: ${name} are read, and written alike`, () => {
        const { values, read, write } = forms[name];
        expect(values.map((value) => hexOf(write(value)))).to.deep.equal(recording[name]);
        expect(recording[name].map((hex) => plain(read(Buffer.from(hex, 'hex'))))).to.deep.equal(values.map(plain));
      });
  }
});
