/**
 * The main script of the self-contained executable: unpacks the programs that it carries into a folder, once for each build, and starts one of them. Threads,
 * and processes that programs start, need files; Node can run nothing else inside of an executable than this one script. Plain JavaScript, because it is a part
 * of the build.
 */
'use strict';
const fs = process.getBuiltinModule('node:fs');
const { createRequire } = process.getBuiltinModule('node:module');
const os = process.getBuiltinModule('node:os');
const path = process.getBuiltinModule('node:path');
const sea = process.getBuiltinModule('node:sea');

/** Files of the package have this in front of their names among the assets. */
const filesPrefix = 'files/';

/** Nobody else may have written what is run. */
function isOurs(folder) {
  const { uid, mode } = fs.lstatSync(folder);
  return uid === process.getuid() && (mode & 0o022) === 0;
}

/** Returns the folder with this build's files below `parent`. Throws where nothing can be written. */
function unpackBelow(parent) {
  const folder = path.join(parent, sea.getAsset('fingerprint', 'utf8'));
  fs.mkdirSync(parent, { recursive: true, mode: 0o700 });
  if (!isOurs(parent)) throw new Error('another user can write to it');
  if (fs.existsSync(folder)) return folder;
  const temporary = fs.mkdtempSync(`${folder}.`);
  try {
    for (const key of sea.getAssetKeys().filter((each) => each.startsWith(filesPrefix))) {
      const file = path.join(temporary, key.slice(filesPrefix.length));
      fs.mkdirSync(path.dirname(file), { recursive: true });
      // Flushed: after a power failure the folder is either whole or not there.
      fs.writeFileSync(file, new Uint8Array(sea.getRawAsset(key)), { flush: true });
    }
    fs.renameSync(temporary, folder);
  } catch (error) {
    fs.rmSync(temporary, { recursive: true, force: true });
    // Another process has unpacked the same files meanwhile.
    if (!fs.existsSync(folder)) throw error;
  }
  return folder;
}

/** The user's cache; where there is none that can be written to (a user without a home, a read-only image), the folder for temporary files. */
function places() {
  const cache = process.env.XDG_CACHE_HOME || (process.env.HOME && path.join(process.env.HOME, '.cache'));
  return [...(cache ? [path.join(cache, 'raftplane', 'programs')] : []), path.join(os.tmpdir(), `raftplane-${process.getuid()}`)];
}

function unpack() {
  const reasons = [];
  for (const place of places()) {
    try {
      return unpackBelow(place);
    } catch (error) {
      reasons.push(`${place}: ${error.message}`);
    }
  }
  console.error(`error: the programs cannot be unpacked (${reasons.join('; ')}). Let XDG_CACHE_HOME name a folder that can be written to`);
  return process.exit(1);
}

const start = path.join(unpack(), 'start.cjs');
createRequire(start)(start);
