import type { RequestContext } from '../context.js';
import type { Upgrade } from '../../../program/port/message.js';
import { acceptWebSocket, normalClosure } from '../webSockets.js';
import type { Encoder } from '../encoders/encoder.js';
import { writeTogether, type Framing, type Transport } from './transport.js';

const opcodes = { text: 1, binary: 2 } as const;

export const messagesOf = ({ messages, lengthBytes }: Encoder): Framing => ({
  name: ' messages',
  frame: (event) => message(opcodes[messages], event.subarray(lengthBytes)),
});

/** Rejects an invalid handshake, after responding to the client. */
export async function openWebSocket(context: RequestContext, upgrade: Upgrade): Promise<Transport> {
  const { socket } = upgrade;
  const webSocket = await acceptWebSocket(context, upgrade);
  return {
    // Bypasses the library to frame data once for all clients.
    write: (parts, writer) => {
      if (webSocket.readyState === webSocket.OPEN) writeTogether(socket, parts, writer);
    },
    whenClosed: (action) => {
      context.onClose(action);
    },
    end: (last) => {
      if (last.length > 0 && webSocket.readyState === webSocket.OPEN) writeTogether(socket, last, null);
      webSocket.close(normalClosure);
    },
    destroy: () => {
      webSocket.terminate();
    },
  };
}

/** RFC 6455, section 5.2: servers do not mask. */
function message(opcode: number, payload: Buffer): Buffer {
  const extended = payload.length < 126 ? 0 : payload.length < 65_536 ? 2 : 8;
  const bytes = Buffer.allocUnsafe(2 + extended + payload.length);
  bytes[0] = 0x80 | opcode;
  bytes[1] = extended === 0 ? payload.length : extended === 2 ? 126 : 127;
  if (extended === 2) bytes.writeUInt16BE(payload.length, 2);
  if (extended === 8) bytes.writeBigUInt64BE(BigInt(payload.length), 2);
  payload.copy(bytes, 2 + extended);
  return bytes;
}
