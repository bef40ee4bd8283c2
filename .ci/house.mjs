#!/usr/bin/env node
/**
 * The shape of the house in figures, and whether each keeps to its ceiling in house.json beside this file. It reads sources only.
 *
 *   npm run house                     the figures; fails where one is above its ceiling
 *   npm run house -- --list FIGURE    what a figure counts, one a line
 *   npm run house -- --lower          writes figures that have fallen as the new ceilings: they only go down
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from '@typescript/typescript6';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const ceilingsFile = path.join(root, '.ci', 'house.json');
const tops = ['api', 'raft', 'workers', 'program', 'cel', 'server', 'controllers', 'deploy', 'console'];
const isGenerated = (file) => file.startsWith('api/types/') || file === 'api/data/enums.ts';
/** Comments that begin with one of these are fragments more often than sentences. */
const fragment =
  /^(of|told|whoever|who|what|that|by|with|as|in|on|for|at|from|to|beside|among|whose|which|where|how|so|than|through|without)\b/i;
/** Words of this house alone, where Kubernetes, etcd and the Raft paper have their own. */
const privateWords = new Set(
  'told beside stranger calm wish haste manners patience impatient surroundings misfit bringer untaken guest complaint complaints looks whoever himself'.split(
    ' ',
  ),
);

/** A folder at the top, or one below `server`, whose loose files are rooms of their own; as in test/unit/layers/circles.ts. */
function roomOf(file) {
  const [top, next] = file.split('/');
  return top === 'server' ? `server/${next}` : top;
}

function filesOf(folder) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.split(path.sep).join('/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file) && !isGenerated(file));
}

/** What each figure counts, as lines. `bytes` and `words` are sums. */
const found = {
  bytes: 0,
  comments: 0,
  words: 0,
  fragments: [],
  privateWords: [],
  privateNames: [],
  long: [],
  longer: [],
  bags: [],
  mixed: [],
  fromControllers: [],
};
/** Rooms by the rooms that they import, types included. */
const imports = new Map();

function measure(file) {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  found.bytes += Buffer.byteLength(text);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
  const at = (node) => `${file}:${lineOf(node.getStart(source))}`;
  const forms = { hash: false, keyword: false };
  const seen = new Set();
  const visit = (node) => {
    for (const comment of ts.getLeadingCommentRanges(text, node.pos) ?? []) {
      if (seen.has(comment.pos)) continue;
      seen.add(comment.pos);
      measureComment(text.slice(comment.pos, comment.end), `${file}:${lineOf(comment.pos)}`);
    }
    if (node.name && (ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name)) && isPrivate(node.name.text))
      found.privateNames.push(`${at(node)} ${node.name.text}`);
    if (ts.isFunctionLike(node) && node.body) measureFunction(node, source, at(node), lineOf(node.end) - lineOf(node.getStart(source)) + 1);
    if (ts.isPropertyDeclaration(node) && ts.isPrivateIdentifier(node.name)) forms.hash = true;
    // A constructor has no other form.
    if (node.kind === ts.SyntaxKind.PrivateKeyword && !ts.isConstructorDeclaration(node.parent)) forms.keyword = true;
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier?.text.startsWith('.'))
      measureImport(file, path.posix.join(path.posix.dirname(file), node.moduleSpecifier.text), at(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  if (forms.hash && forms.keyword) found.mixed.push(file);
}

/** One of the words in a name in camel case is private. */
const isPrivate = (name) => name.split(/(?=[A-Z])|[^A-Za-z]/).some((word) => privateWords.has(word.toLowerCase()));

function measureComment(comment, place) {
  const said = comment
    .replace(/^\/\*+|\*+\/$|^\/\//g, '')
    .replace(/^\s*\*/gm, '')
    .trim();
  const words = said.split(/\s+/).filter((word) => word !== '');
  found.comments++;
  found.words += words.length;
  if (words.length > 2 && fragment.test(said)) found.fragments.push(`${place} ${said.split('\n')[0]}`);
  for (const word of words) if (privateWords.has(word.toLowerCase().replace(/[^a-z]/g, ''))) found.privateWords.push(`${place} ${word}`);
}

function measureFunction(node, source, place, lines) {
  const name = node.name?.getText(source) ?? node.parent?.name?.getText?.(source) ?? '(anonymous)';
  if (lines > 40) found.long.push(`${lines} ${place} ${name}`);
  if (lines > 80) found.longer.push(`${lines} ${place} ${name}`);
  for (const { type } of node.parameters)
    if (type && ts.isTypeLiteralNode(type) && type.members.length === 1) found.bags.push(`${place} ${name}`);
}

function measureImport(file, target, place) {
  const [from, to] = [roomOf(file), roomOf(target.replace(/\.js$/, '.ts'))];
  if (from === to) return;
  if (from === 'controllers' && to.startsWith('server/')) found.fromControllers.push(`${place} ${target}`);
  imports.set(from, (imports.get(from) ?? new Set()).add(to));
}

/** Rooms that lead back to themselves by imports. */
function roomsInCircles() {
  const reached = (from, seen = new Set()) => {
    for (const next of imports.get(from) ?? [])
      if (!seen.has(next)) {
        seen.add(next);
        reached(next, seen);
      }
    return seen;
  };
  return [...imports.keys()].filter((room) => reached(room).has(room));
}

/** How many rooms stand above each other, types included; meaningless where there are circles. */
function floors() {
  const known = new Map();
  const depth = (room) => {
    if (!known.has(room)) {
      known.set(room, 1);
      known.set(room, 1 + Math.max(0, ...[...(imports.get(room) ?? [])].map(depth)));
    }
    return known.get(room);
  };
  return Math.max(...[...imports.keys()].map(depth));
}

const byLines = (a, b) => parseInt(b, 10) - parseInt(a, 10);

function main(args) {
  for (const file of tops.flatMap(filesOf)) measure(file);
  const circles = roomsInCircles();
  const lists = {
    'rooms in circles': circles,
    'imports of the server from the controllers': found.fromControllers,
    'functions over 40 lines': found.long.sort(byLines),
    'functions over 80 lines': found.longer.sort(byLines),
    'parameter objects of one member': found.bags,
    'files with #x and private x': found.mixed,
    'private words in comments': found.privateWords,
    'private words in names': found.privateNames,
    'comments that begin with a fragment': found.fragments,
  };
  const figures = {
    'bytes written by hand': found.bytes,
    'words in comments': found.words,
    floors: floors(),
    ...Object.fromEntries(Object.entries(lists).map(([name, lines]) => [name, lines.length])),
  };
  if (args[0] === '--list') return void console.log((lists[args[1]] ?? Object.keys(lists)).join('\n'));
  const ceilings = JSON.parse(fs.readFileSync(ceilingsFile, 'utf8'));
  if (args[0] === '--lower') {
    const lowered = Object.entries(figures).map(([name, value]) => [name, Math.min(value, ceilings[name] ?? value)]);
    return void fs.writeFileSync(ceilingsFile, `${JSON.stringify(Object.fromEntries(lowered), null, 2)}\n`);
  }
  for (const [name, value] of Object.entries(figures)) {
    const ceiling = ceilings[name] ?? 0;
    const isAbove = value > ceiling;
    console.log(
      `${String(value).padStart(9)} ${name}${isAbove ? `: above its ceiling, ${ceiling} (npm run house -- --list '${name}')` : ''}`,
    );
    if (isAbove) process.exitCode = 1;
  }
}

main(process.argv.slice(2));
