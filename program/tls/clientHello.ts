import type { Socket } from 'node:net';

const handshakeRecord = 22;
const clientHello = 1;
const serverNameExtension = 0;
const hostName = 0;
const recordHeadBytes = 5;
/** Clients send one, or two for long keys. */
const recordsMax = 8;
/** Longer messages get the default certificate. */
const helloBytesMax = 20 * 1024;

/** Returns the server name of a ClientHello (RFC 8446, section 4.1.2; RFC 6066, section 3); `more` while incomplete. */
export function serverNameIn(bytes: Buffer): string | null | 'more' {
  const message = handshakeIn(bytes);
  if (!Buffer.isBuffer(message)) return message;
  try {
    return nameIn(message);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function handshakeIn(bytes: Buffer): Buffer | null | 'more' {
  const parts: Buffer[] = [];
  let known = 0;
  for (let at = 0, records = 0; records < recordsMax; records++) {
    if (bytes.length > at && bytes[at] !== handshakeRecord) return null;
    if (bytes.length < at + recordHeadBytes) return 'more';
    const end = at + recordHeadBytes + bytes.readUInt16BE(at + 3);
    const part = bytes.subarray(at + recordHeadBytes, end);
    parts.push(part);
    known += part.length;
    const message = Buffer.concat(parts);
    if (known >= 4 && message[0] !== clientHello) return null;
    if (known >= 4 && known >= 4 + message.readUIntBE(1, 3)) return message.subarray(4, 4 + message.readUIntBE(1, 3));
    if (bytes.length < end) return 'more';
    at = end;
  }
  return null;
}

function nameIn(message: Buffer): string | null {
  const versionAndRandom = 2 + 32;
  const sessionEnd = versionAndRandom + 1 + message.readUInt8(versionAndRandom);
  const suitesEnd = sessionEnd + 2 + message.readUInt16BE(sessionEnd);
  const compressionEnd = suitesEnd + 1 + message.readUInt8(suitesEnd);
  const end = compressionEnd + 2 + message.readUInt16BE(compressionEnd);
  for (let at = compressionEnd + 2; at < end; at += 4 + message.readUInt16BE(at + 2)) {
    if (message.readUInt16BE(at) !== serverNameExtension) continue;
    const list = at + 4;
    // One name at most follows the length and the type.
    if (message.readUInt8(list + 2) !== hostName) return null;
    return message.toString('latin1', list + 5, list + 5 + message.readUInt16BE(list + 3));
  }
  return null;
}

/** Calls back before anything else reads the connection, and puts the bytes back; never for a connection that ends first. */
export function askedName(socket: Socket, found: (name: string | null) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  const read = (): void => {
    for (let part = socket.read() as Buffer | null; part !== null; part = socket.read() as Buffer | null)
      bytes = Buffer.concat([bytes, part]);
    const name = serverNameIn(bytes);
    if (name === 'more' && bytes.length < helloBytesMax) return;
    socket.off('readable', read).off('end', end).off('error', end);
    socket.unshift(bytes);
    found(name === 'more' ? null : name);
  };
  const end = (): void => {
    socket.destroy();
  };
  socket.on('readable', read).on('end', end).on('error', end);
}
