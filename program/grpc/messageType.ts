import protobuf from 'protobufjs';

/** Absent fields read as empty; whole numbers are plain numbers. */
export interface MessageType<T> {
  encode(message: T): Buffer;
  decode(bytes: Uint8Array): T;
}

/** Takes protobufjs' JSON form: `{ Name: { fields: { x: { type: 'string', id: 1 } } } }`. */
export function messageTypes(nested: object): <T extends object>(name: string) => MessageType<T> {
  const root = protobuf.Root.fromJSON({ nested } as protobuf.INamespace);
  return <T extends object>(name: string): MessageType<T> => {
    const type = root.lookupType(name);
    return {
      encode: (message) => Buffer.from(type.encode(type.fromObject(message)).finish()),
      decode: (bytes) => type.toObject(type.decode(bytes), { defaults: true, arrays: true, objects: true, longs: Number }) as T,
    };
  };
}
