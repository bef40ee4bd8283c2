import { Command, InvalidArgumentError, Option } from 'commander';
import { inspect, memberId, rescueBackup, restoreBackup, type Member, verifyBackup } from '../../raft/index.js';
import { readClusterToken } from '../../program/files/clusterToken.js';
import { compareReplicas } from './compare.js';
import { Servers } from './connection.js';
import { addMember, listMembers, membersTable, promoteMember, removeMember } from './members.js';
import { errorText } from '../../api/errorText.js';

interface Reach {
  readonly kubeconfig: string;
  readonly server?: readonly string[];
}
interface Owner {
  readonly dataDir: string;
  readonly memberId: string;
  readonly clusterToken: string;
  readonly clusterTokenFile?: string;
}

const say = (text: string): void => {
  process.stdout.write(`${text}\n`);
};
const collect = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** Runs one command. Resolves with the exit code: 0, 1 for a failure or refusal, 2 for an invalid command line. */
export async function runOperation(argv: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(argv, { from: 'user' });
    return typeof process.exitCode === 'number' ? process.exitCode : 0;
  } catch (error) {
    if (isUsage(error)) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`apiserver: ${errorText(error)}\n`);
    return 1;
  }
}

const isUsage = (error: unknown): error is { readonly exitCode: number } =>
  typeof error === 'object' && error !== null && 'exitCode' in error && 'code' in error && String(error.code).startsWith('commander.');

function program(): Command {
  const root = new Command('apiserver')
    .description('Commands for operators of a cluster of API servers.')
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        process.stderr.write(text);
      },
    });
  root.addCommand(memberCommand());
  root.addCommand(backupCommand());
  root.addCommand(restoreCommand());
  root.addCommand(checkCommand());
  return root;
}

function reaching(command: Command): Command {
  return command
    .exitOverride()
    .addOption(new Option('--kubeconfig <file>', 'how to reach the cluster, and as whom').env('KUBECONFIG').makeOptionMandatory())
    .option('--server <url>', "a server to ask instead of the kubeconfig's; repeat it for several", collect);
}

const serversOf = ({ kubeconfig, server = [] }: Reach): Servers => new Servers(kubeconfig, server);

function memberCommand(): Command {
  const member = new Command('member')
    .description('Shows and changes the members of a running cluster, one change at a time.')
    .exitOverride();
  for (const command of [memberList(), memberAdd(), memberPromote(), memberRemove()]) member.addCommand(command);
  return member;
}

const memberList = (): Command =>
  reaching(new Command('list'))
    .description('Shows the members, who leads, and how far the others have come.')
    .addHelpText(
      'after',
      '\nExample:\n  apiserver member list --kubeconfig admin.kubeconfig --server https://10.0.0.1:6443 --server https://10.0.0.2:6443\n  Only the leader knows how far the others have come: behind a balancer, or with all servers named, it is looked for.',
    )
    .action(async (reach: Reach) => {
      say(membersTable(await listMembers(serversOf(reach))));
    });

const memberAdd = (): Command =>
  reaching(new Command('add'))
    .description('Adds a member that learns: it follows the cluster and counts for no majority yet.')
    .argument('<id>', 'a name that no member has ever had')
    .argument('<address>', 'host:port on which the others reach it')
    .addHelpText(
      'after',
      '\nExample:\n  apiserver member add d 10.0.0.4:2380 --kubeconfig admin.kubeconfig\n  Then start it with --raft-member-id=d --raft-initial-cluster-state=existing and all members in --raft-initial-cluster.',
    )
    .action(async (id: string, address: string, reach: Reach) => {
      await addMember(serversOf(reach), id, address);
      say(`${id} is a learner; start it, and promote it once it has caught up: apiserver member promote ${id}`);
    });

const memberPromote = (): Command =>
  reaching(new Command('promote'))
    .description('Makes a learner that has caught up a voter.')
    .argument('<id>')
    .addHelpText('after', '\nExample:\n  apiserver member promote d --kubeconfig admin.kubeconfig')
    .action(async (id: string, reach: Reach) => {
      await promoteMember(serversOf(reach), id);
      say(`${id} votes`);
    });

const memberRemove = (): Command =>
  reaching(new Command('remove'))
    .description('Removes a member for good; refused where the others would be left without a majority.')
    .argument('<id>')
    .addHelpText('after', '\nExample:\n  apiserver member remove c --kubeconfig admin.kubeconfig')
    .action(async (id: string, reach: Reach) => {
      await removeMember(serversOf(reach), id);
      say(`${id} is no member any more; its data directory is of no further use`);
    });

function owning(command: Command): Command {
  return command
    .option('--member-id <name>', 'the member that the directory belongs to', 'a')
    .option('--cluster-token <word>', "the cluster's --raft-cluster-token", 'raftplane')
    .addOption(new Option('--cluster-token-file <file>', 'file with that word').conflicts('clusterToken'));
}

const ownerOf = ({
  dataDir,
  memberId: id,
  clusterToken,
  clusterTokenFile,
}: Owner): { dataDirectory: string; memberId: ReturnType<typeof memberId>; clusterToken: string } => ({
  dataDirectory: dataDir,
  memberId: memberId(id),
  clusterToken: clusterTokenFile === undefined ? clusterToken : readClusterToken(clusterTokenFile),
});

function backupCommand(): Command {
  return owning(new Command('backup'))
    .exitOverride()
    .description('Writes everything that is stored into one file that proves itself whole.')
    .argument('<file>', 'the backup; must not exist')
    .addOption(new Option('--kubeconfig <file>', 'take it from a running server').env('KUBECONFIG'))
    .option('--server <url>', "this server instead of the kubeconfig's", collect)
    .option(
      '--data-dir <directory>',
      'take it from the data directory of a server that does not run: for a cluster that has lost its majority',
    )
    .option('--accept-lost-writes', 'needed with --data-dir: what only the lost servers had is not in it', false)
    .addHelpText(
      'after',
      '\nExamples:\n  apiserver backup monday.backup --kubeconfig admin.kubeconfig\n  apiserver backup rescue.backup --data-dir /var/lib/raftplane --member-id b --accept-lost-writes',
    )
    .action(async (file: string, options: Partial<Reach> & Partial<Owner> & { readonly acceptLostWrites: boolean }) => {
      if (options.dataDir === undefined) return backupRunning(file, options);
      if (!options.acceptLostWrites)
        throw new Error(
          '--data-dir takes what this one server has. Try to get a majority back first; if it is lost, choose the server with the highest entry (apiserver check --data-dir) and add --accept-lost-writes',
        );
      const { revision, lastIndex, committed } = await rescueBackup(ownerOf(options as Owner), file);
      say(
        `${file}: revision ${revision}, entry ${lastIndex}${lastIndex > committed ? `, of which the last ${lastIndex - committed} may never have been acknowledged` : ''}`,
      );
    });
}

async function backupRunning(file: string, { kubeconfig, server = [] }: Partial<Reach>): Promise<void> {
  if (kubeconfig === undefined) throw new Error('give --kubeconfig to take the backup from a running server, or --data-dir');
  const { headers, verified } = await serversOf({ kubeconfig, server }).download('/raft/v1/backup', file, verifyBackup);
  say(`${file}: verified, entry ${verified.index}, at least revision ${String(headers['x-raft-revision'])}`);
}

const parseMember = (text: string, before: readonly Member[] = []): readonly Member[] => [
  ...before,
  ...text.split(',').map((part): Member => {
    const at = part.indexOf('=');
    if (at < 1 || at === part.length - 1) throw new InvalidArgumentError(`${JSON.stringify(part)} is not name=host:port`);
    return { id: memberId(part.slice(0, at)), role: 'voter', address: part.slice(at + 1) };
  }),
];

function restoreCommand(): Command {
  return new Command('restore')
    .exitOverride()
    .description(
      'Makes the data directory of one server of a new cluster out of a backup. Run it for each server, with the same backup, members and token.',
    )
    .argument('<file>', 'the backup')
    .requiredOption('--data-dir <directory>', 'must not exist, or be empty')
    .requiredOption('--member-id <name>', 'the server that the directory is for')
    .option('--cluster-token <word>', 'a new word: servers of the old cluster must never mix with the new one')
    .addOption(new Option('--cluster-token-file <file>', 'file with that word').conflicts('clusterToken'))
    .option('--initial-cluster <members>', 'all members as name=host:port, comma-separated; one server alone without it', parseMember)
    .addHelpText(
      'after',
      '\nExample:\n  apiserver restore monday.backup --data-dir data-a --member-id a --cluster-token after-monday --initial-cluster a=10.0.0.1:2380,b=10.0.0.2:2380,c=10.0.0.3:2380\n  Then start it with the same --raft-data-dir, --raft-member-id, --raft-cluster-token and --raft-initial-cluster.',
    )
    .action(
      (file: string, { initialCluster = [], ...owner }: Owner & { readonly initialCluster?: readonly Member[] }, command: Command) => {
        const { dataDir, memberId: id, clusterTokenFile } = owner;
        if (command.getOptionValue('clusterToken') === undefined && clusterTokenFile === undefined)
          command.error("error: required option '--cluster-token <word>' or '--cluster-token-file <file>' not specified");
        const members = initialCluster.length > 0 ? initialCluster : [{ id: memberId(id), role: 'voter', address: '' } as const];
        const { index } = restoreBackup(file, { ...ownerOf(owner), members });
        say(`${dataDir}: restored up to entry ${index}, for ${id} of ${members.map((member) => member.id).join(', ')}`);
      },
    );
}

function checkCommand(): Command {
  return owning(new Command('check'))
    .exitOverride()
    .description(
      'Verifies checksums and equality: of a backup, of the data directory of a server that does not run, or of running servers with each other.',
    )
    .option('--backup <file>', 'verify a backup')
    .option('--data-dir <directory>', 'verify a data directory')
    .addOption(new Option('--kubeconfig <file>', 'how to reach running servers, and as whom').env('KUBECONFIG'))
    .option('--server <url>', 'a running server; repeat it for all that are to be compared', collect)
    .addHelpText(
      'after',
      '\nExamples:\n  apiserver check --backup monday.backup\n  apiserver check --data-dir /var/lib/raftplane --member-id b\n  apiserver check --kubeconfig admin.kubeconfig --server https://10.0.0.1:6443 --server https://10.0.0.2:6443',
    )
    .action(async (options: Partial<Reach> & Partial<Owner> & { readonly backup?: string }) => {
      if (options.backup !== undefined) {
        const { index, term, members } = verifyBackup(options.backup);
        say(
          `${options.backup}: whole and intact; entry ${index} of term ${term}, of a cluster of ${members.map(({ id }) => id).join(', ')}`,
        );
      } else if (options.dataDir !== undefined) {
        const { index, revision, committed, lastIndex, lastTerm } = inspect(ownerOf(options as Owner));
        say(
          `${options.dataDir}: intact; revision ${revision}, applied ${index}, committed at least ${committed}, last entry ${lastIndex} of term ${lastTerm}`,
        );
      } else {
        await checkRunning(options);
      }
    });
}

async function checkRunning({ kubeconfig, server = [] }: Partial<Reach>): Promise<void> {
  if (kubeconfig === undefined || server.length < 2)
    throw new Error('give --backup, --data-dir, or --kubeconfig with at least two --server');
  const { compared, unanswered } = await compareReplicas(serversOf({ kubeconfig, server }));
  for (const { memberId: id, address, keys, revision, sha256 } of compared)
    say(`${id} ${address} revision ${revision} keys ${keys} sha256 ${sha256}`);
  for (const { address, reason } of unanswered) say(`${address} does not answer: ${reason}`);
  if (new Set(compared.map(({ sha256 }) => sha256)).size > 1)
    throw new Error(
      'the servers differ at the same revision: one of them is broken. Stop writing, check each data directory, and replace the one that is damaged',
    );
  if (unanswered.length > 0)
    throw new Error(
      `${compared.length > 1 ? 'those that answer are equal; ' : ''}${unanswered.length} of ${server.length} could not be compared`,
    );
  say('equal');
}
