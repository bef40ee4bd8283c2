import { connect } from 'node:tls';
import type { MemberId } from '../types.js';
import { parseAddress } from './address.js';
import { ByteReader, ByteWriter, DecodeError } from './bytes.js';
import { certifiedMember, peerName, readTlsFiles } from './certificate.js';
import type { TlsFiles } from './certificate.js';
import { Connection } from './connection.js';
import { frameKinds, writeFrame } from './frames.js';
import { protocolVersion, readIdentity, readRefusal, refuseWelcome, writeHello } from './handshake.js';
import type { CallerRecords, Identity, Purpose, Refusal } from './handshake.js';
import { transportLimits } from './limits.js';

export interface DialOptions {
  readonly self: Identity;
  readonly selfAddress: string;
  readonly tls: TlsFiles;
  readonly known: CallerRecords;
  readonly to: MemberId;
  readonly address: string;
  readonly purpose: Purpose;
}

export interface DialEvents {
  onWelcome(): void;
  onFrame(kind: number, payload: Buffer): void;
  /** Called once. */
  onClose(reason: string, refusal: Refusal | null): void;
}

/** Throws for unreadable certificates and invalid addresses. */
export function dial(options: DialOptions, events: DialEvents): Connection {
  const { host, port } = parseAddress(options.address);
  const socket = connect({ host, port, servername: peerName(options.to), minVersion: 'TLSv1.3', ...readTlsFiles(options.tls) });
  let welcomed = false;
  let refusal: Refusal | null = null;
  const connection = new Connection(socket, {
    onFrame: (kind, payload) => {
      if (welcomed) events.onFrame(kind, payload);
      else answer(kind, payload);
    },
    onClose: (reason) => events.onClose(reason, refusal),
  });
  connection.setDeadline(transportLimits.handshakeMs, 'the handshake took too long');
  socket.once('secureConnect', () => {
    const certified = certifiedMember(socket);
    if (certified !== options.to) connection.close(`its certificate is not one of ${options.to} for peer usage`);
    else connection.write(hello(options));
  });

  function answer(kind: number, payload: Buffer): void {
    if (kind === frameKinds.refusal) {
      refusal = readRefusal(new ByteReader(payload));
      connection.close(refusal.reason);
      return;
    }
    if (kind !== frameKinds.welcome) throw new DecodeError(`frame ${kind} instead of a welcome`);
    const objection = refuseWelcome(readIdentity(new ByteReader(payload)), options.to, options.self, options.known);
    if (objection !== null) {
      connection.close(objection);
      return;
    }
    welcomed = true;
    connection.setDeadline(null);
    connection.acceptLongFrames(transportLimits.frameBytesMax);
    events.onWelcome();
  }

  return connection;
}

function hello(options: DialOptions): Buffer {
  const writer = new ByteWriter();
  writeFrame(writer, frameKinds.hello, () =>
    writeHello(writer, {
      ...options.self,
      version: protocolVersion,
      to: options.to,
      purpose: options.purpose,
      address: options.selfAddress,
    }),
  );
  return writer.take();
}
