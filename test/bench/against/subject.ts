import fs from 'node:fs';
import { processorSeconds, residentBytes } from '../../fixtures/processUsage.js';
import type { Endpoint } from '../connection.js';

/** A server, or several with one store, under load. */
export interface Subject {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
  /** Processes whose processor time and memory count: servers and their separate store. Empty on other machines. */
  readonly pids: readonly number[];
}

/** A server started elsewhere. */
export interface OtherServer {
  readonly url: URL;
  readonly cert: string;
  readonly key: string;
  /** Absent: the server's certificate is not checked. */
  readonly ca: string | null;
  readonly name: string;
  /** Default: local processes that listen on the URL's port. */
  readonly pids: readonly number[];
}

export function otherSubject({ url, cert, key, ca, name, pids }: OtherServer): Subject {
  const port = Number(url.port || 443);
  const endpoint = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port,
    cert: fs.readFileSync(cert),
    key: fs.readFileSync(key),
    ...(ca === null ? { ca: Buffer.alloc(0), unchecked: true } : { ca: fs.readFileSync(ca) }),
  };
  return { name, endpoints: [endpoint], pids: pids.length > 0 ? pids : listeners(port) };
}

/** Processor time so far. NaN without visible processes. */
export const processorSecondsOf = ({ pids }: Subject): number => (pids.length === 0 ? NaN : sum(pids.map(processorSeconds)));
export const residentBytesOf = ({ pids }: Subject): number => (pids.length === 0 ? NaN : sum(pids.map(residentBytes)));

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);

/** Local processes that listen on a TCP port, as far as visible. */
export function listeners(port: number): number[] {
  const inodes = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
      fs.existsSync(file) ? listeningInodes(fs.readFileSync(file, 'utf8'), port) : [],
    ),
  );
  return fs
    .readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && socketsOf(entry).some((inode) => inodes.has(inode)))
    .map(Number);
}

/** Inodes of listening sockets on a port, from `/proc/net/tcp` (proc(5): address, state 0A, inode in column ten). */
export const listeningInodes = (text: string, port: number): string[] =>
  text
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local = '', , state]) => state === '0A' && parseInt(local.split(':')[1] ?? '', 16) === port)
    .map((columns) => columns[9] ?? '');

function socketsOf(pid: string): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return fs.readdirSync(folder).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`${folder}/${fd}`))?.[1] ?? [];
      } catch {
        // The file was closed meanwhile.
        return [];
      }
    });
  } catch {
    // Foreign processes are unreadable, and some end meanwhile.
    return [];
  }
}
