/** Parses `host:port`, or `[v6 address]:port`. Throws a RangeError with the text. */
export function parseAddress(text: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s/]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  if (host === undefined || port > 65535)
    throw new RangeError(`address ${JSON.stringify(text)} must be host:port, for example 10.0.0.1:2380 or [fd00::1]:2380`);
  return { host, port };
}

/** Returns why no member can listen at an address, or null. */
export function addressProblem(text: string): string | null {
  try {
    return parseAddress(text).port === 0 ? `address ${JSON.stringify(text)} has no port; give the one on which the member listens` : null;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** Empty for an invalid address. */
export function hostOf(text: string): string {
  return addressProblem(text) === null ? parseAddress(text).host : '';
}

/** Removes the prefix of IPv4 addresses on an IPv6 socket, as in members' addresses. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/, '');

export function formatAddress(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
