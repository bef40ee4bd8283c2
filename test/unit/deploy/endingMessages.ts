import fs from 'node:fs';
import path from 'node:path';
import ts from '@typescript/typescript6';
import { packageRoot } from '../../fixtures/packageRoot.js';

/** Files and folders whose errors end a program or prevent its start. */
const places = [
  'deploy/cli',
  'deploy/cluster.ts',
  'deploy/clusterFile.ts',
  'deploy/files.ts',
  'deploy/launcherLock.ts',
  'deploy/ports.ts',
  'deploy/restore.ts',
  'deploy/settings.ts',
  'program/port/bind.ts',
  'program/tls/credentials.ts',
  'raft/sqlite/driver.ts',
  'raft/sqlite/errors.ts',
  'raft/sqlite/format.ts',
  'raft/transport/handshake.ts',
  'server/operations',
];

/** Files whose errors about options are printed before the start. */
const optionPlaces = [
  'program/flags/parse.ts',
  'program/flags/unreadable.ts',
  'controllers/options/read.ts',
  'server/options/contradictions.ts',
];

/** A message as in the page: values are `…`. */
export const shown = (text: string): string => text.replace(/\s+/g, ' ').trim();

function filesOf(place: string): string[] {
  const full = path.join(packageRoot, place);
  if (place.endsWith('.ts')) return [full];
  return fs
    .readdirSync(full, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => path.join(full, file));
}

function textOf(node: ts.Expression | undefined): string | null {
  if (node === undefined) return null;
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return `${textOf(node.left) ?? '…'}${textOf(node.right) ?? '…'}`;
  return null;
}

const endsPrograms = /^(Error|.*Error)$/;

function messageOf(node: ts.Node): string | null {
  if (ts.isNewExpression(node) && ts.isIdentifier(node.expression) && endsPrograms.test(node.expression.text))
    return (
      (node.arguments ?? [])
        .map(textOf)
        .filter((text) => text !== null)
        .sort((one, other) => other.length - one.length)[0] ?? null
    );
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword)
    return node.arguments.map(textOf).find((text) => text?.includes(' ')) ?? null;
  if (ts.isPropertyAssignment(node) && node.name.getText() === 'reason') return textOf(node.initializer);
  return null;
}

/** A complete message about an option. */
function optionMessageOf(node: ts.Node): string | null {
  if (!ts.isStringLiteralLike(node) && !ts.isTemplateExpression(node)) return null;
  const text = textOf(node);
  return text !== null && / /.test(text.trim()) && /--|flag|argument|needs a value/.test(text) && !ts.isTemplateSpan(node.parent)
    ? text
    : null;
}

/** Every message in those files, with values as `…`. */
export const endingMessages = (): ReadonlyMap<string, string> => messagesIn(places, messageOf);
export const optionMessages = (): ReadonlyMap<string, string> => messagesIn(optionPlaces, optionMessageOf);

function messagesIn(where: readonly string[], read: (node: ts.Node) => string | null): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const file of where.flatMap(filesOf)) {
    const source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const message = read(node);
      if (message !== null) found.set(shown(message), path.relative(packageRoot, file));
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}
