import path from 'node:path';
import { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { cutOff, trackPeers } from './peerSockets.js';

/**
 * Loaded before the server into every thread of an API server that `raftplane up` starts: the launcher can cut this member off from others. Only the consensus
 * thread has connections to them; the first thread forwards the launcher's messages.
 */

export interface CutOrder {
  readonly cutOffFrom: readonly string[];
}

const isCutOrder = (value: unknown): value is CutOrder => typeof value === 'object' && value !== null && 'cutOffFrom' in value;
const channelKey = 'raftplane.partition';
const present = 'present';
/** The second argument of a thread is its file. */
const isConsensus = process.argv[1]?.endsWith(`${path.sep}thread.js`) ?? false;

if (isMainThread && process.channel) {
  const name = `raftplane-partition-${process.pid}`;
  setEnvironmentData(channelKey, name);
  const channel = new BroadcastChannel(name) as BroadcastChannel & { unref(): void };
  let last: CutOrder | null = null;
  process.on('message', (message: unknown) => {
    if (isCutOrder(message)) channel.postMessage((last = message));
  });
  channel.onmessage = (event) => {
    if ((event as { readonly data: unknown }).data === present && last) channel.postMessage(last);
  };
  // Pending orders do not keep the thread alive.
  process.channel.unref();
  channel.unref();
} else if (isConsensus) {
  const name = getEnvironmentData(channelKey);
  if (typeof name === 'string') {
    trackPeers();
    const channel = new BroadcastChannel(name) as BroadcastChannel & { unref(): void };
    channel.onmessage = (event) => {
      const { data } = event as { readonly data: unknown };
      if (isCutOrder(data)) cutOff(data.cutOffFrom);
    };
    channel.postMessage(present);
    channel.unref();
  }
}
