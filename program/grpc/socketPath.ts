/** Where a Unix socket is, as Node and gRPC name it. `@name` is one of Linux' abstract namespace, as Go writes it, with no file behind it. */
export const socketPath = (name: string): string => (name.startsWith('@') ? `\0${name.slice(1)}` : name);
