import fs from 'node:fs';

/**
 * Returns the process that holds the client end of a local TCP connection, by the inode in the kernel's table. This identifies the caller of an encrypted
 * connection. Linux only.
 */
export function socketOwner(clientPort: number, serverPort: number, pids: readonly number[]): number | null {
  const inode = inodeOf(fs.readFileSync('/proc/net/tcp', 'utf8'), clientPort, serverPort);
  return inode === null ? null : (pids.find((pid) => holds(pid, inode)) ?? null);
}

/** The inode of a connection. Columns: number, local, remote, state, queues, timer, retransmits, owner, timeouts, inode. */
export function inodeOf(table: string, localPort: number, remotePort: number): string | null {
  const [local, remote] = [localPort, remotePort].map((port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`) as [string, string];
  for (const line of table.split('\n')) {
    const columns = line.trim().split(/\s+/);
    if (columns[1]?.endsWith(local) && columns[2]?.endsWith(remote)) return columns[9] ?? null;
  }
  return null;
}

function holds(pid: number, inode: string): boolean {
  try {
    return fs.readdirSync(`/proc/${pid}/fd`).some((descriptor) => target(`/proc/${pid}/fd/${descriptor}`) === `socket:[${inode}]`);
  } catch {
    return false; // it has ended
  }
}

function target(link: string): string | null {
  try {
    return fs.readlinkSync(link);
  } catch {
    return null; // closed in the meantime
  }
}
