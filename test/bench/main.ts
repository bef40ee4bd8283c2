#!/usr/bin/env node
import { Command, InvalidArgumentError } from 'commander';
import type { ReplicaCount } from '../../deploy/settings.js';
import { benchControlPlane } from './controlplane.js';

const positive = (text: string): number => {
  const value = Number(text);
  if (!(value > 0 && value <= 3600)) throw new InvalidArgumentError('must be a number above 0 and at most 3600');
  return value;
};
const replicaCounts = (text: string): ReplicaCount[] => text.split(',').map((each) => {
  const value = Number(each);
  if (value !== 1 && value !== 3 && value !== 5) throw new InvalidArgumentError('must be a comma-separated list of 1, 3 and 5');
  return value;
});

const program = new Command('bench')
  .description('Measures a cluster of real processes on this machine, each figure beside the bare limit measured in the same run.')
  .option('--seconds <n>', 'how long each measure runs', positive, 4)
  .option('--connections <n>', 'connections of the load generator', positive, 32)
  .option('--replicas <list>', 'cluster sizes to measure', replicaCounts, [1, 3] as ReplicaCount[])
  .addHelpText('after', '\nExamples:\n  npm run bench\n  npm run bench -- --replicas 1 --seconds 10\n');

program.parse();
await benchControlPlane(program.opts<{ seconds: number; connections: number; replicas: ReplicaCount[] }>());
