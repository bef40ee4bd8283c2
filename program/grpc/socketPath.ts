/** `@name` is in Linux's abstract namespace, in Go's notation, without a file. */
export const socketPath = (name: string): string => (name.startsWith('@') ? `\0${name.slice(1)}` : name);
