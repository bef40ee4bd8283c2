/** Event counts of simulations. Tests assert that each event occurred. */
export const countNames = [
  'steps',
  'elections',
  'transfers',
  'soonCampaigns',
  'stoodDown',
  'wordsExpected',
  'writesAcknowledged',
  'readsServed',
  'readsFailed',
  'entriesOverwritten',
  'messagesDelivered',
  'messagesDropped',
  'messagesDuplicated',
  'partitions',
  'oneWayPartitions',
  'stalls',
  'crashes',
  'crashesInsideReady',
  'powerFailures',
  'restarts',
  'compactions',
  'snapshotsInstalled',
  'learnersAdded',
  'promotions',
  'removals',
] as const;

export type CountName = (typeof countNames)[number];
export type Counts = Record<CountName, number>;

export function noCounts(): Counts {
  return Object.fromEntries(countNames.map((name) => [name, 0])) as Counts;
}

export function addCounts(into: Counts, more: Counts): void {
  for (const name of countNames) into[name] += more[name];
}

export function formatCounts(counts: Counts): string {
  return countNames.map((name) => `  ${name.padEnd(22)} ${counts[name]}`).join('\n');
}
