/**
 * What StrykerJS asks for here: a runner of the compiled unit tests, and a checker that leaves out what is not in the sample. Stryker's own runner for Mocha
 * reads files that Mocha 12 has moved; this one uses Mocha's documented interface.
 */
import { CheckStatus } from '@stryker-mutator/api/check';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { determineHitLimitReached, DryRunStatus, TestStatus, toMutantRunResult } from '@stryker-mutator/api/test-runner';
import path from 'node:path';
import Mocha from 'mocha';
import { AtOnce } from './report.mjs';
import { inOrderOfSample } from './sample.mjs';

/** What the instrumented sources read and write: the mutant that is active, and the test that runs. */
const instrumented = (globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {});

/** One process of tests: the files are loaded once, and run again for each mutant with only the tests that reach it. */
class MochaRunner {
  #loaded = false;
  #mocha = new Mocha({ reporter: Silent, timeout: 0 });

  /** A module is evaluated once in a process, so a mutant in its top level needs another process. */
  capabilities() {
    return { reloadEnvironment: false };
  }

  async init() {
    this.#mocha.cleanReferencesAfterRun(false);
    for (const file of JSON.parse(process.env.MUTATE_TESTS)) this.#mocha.addFile(path.resolve(file));
    // Here loading costs nothing of the time that a run has. What is wrong at loading has to be there before.
    if (process.env.MUTATE_STATIC === undefined) await this.#load(undefined);
  }

  async dryRun({ disableBail, coverageAnalysis }) {
    const result = await this.#run(undefined, { disableBail });
    return coverageAnalysis === 'off' ? result : { ...result, mutantCoverage: instrumented.mutantCoverage };
  }

  async mutantRun({ activeMutant, mutantActivation, testFilter, hitLimit, disableBail }) {
    instrumented.hitLimit = hitLimit;
    instrumented.hitCount = hitLimit === undefined ? undefined : 0;
    return toMutantRunResult(await this.#run(activeMutant.id, { disableBail, testFilter, early: mutantActivation === 'static' }));
  }

  async #run(mutant, { disableBail, testFilter, early = false }) {
    try {
      await this.#load(early ? mutant : undefined);
      instrumented.activeMutant = mutant;
      choose(this.#mocha, testFilter);
      bail(this.#mocha.suite, !disableBail);
      const tests = await runTests(this.#mocha);
      return determineHitLimitReached(instrumented.hitCount, instrumented.hitLimit) ?? { status: DryRunStatus.Complete, tests };
    } catch (error) {
      return { status: DryRunStatus.Error, errorMessage: error.stack ?? String(error) };
    }
  }

  async #load(mutant) {
    if (this.#loaded) return;
    instrumented.activeMutant = mutant;
    await this.#mocha.loadFilesAsync();
    this.#loaded = true;
  }
}

class Silent {}

function bail(suite, value) {
  suite.bail(value);
  for (const child of suite.suites) bail(child, value);
}

/** A chosen file stands for all of its tests, because what its hooks do concerns each of them. */
function choose(mocha, ids) {
  if (ids === undefined) return void mocha.grep(/(?:)/);
  const chosen = new Set(ids);
  const titles = [];
  mocha.suite.eachTest((test) => {
    if (chosen.has(test.fullTitle()) || chosen.has(fileOf(test))) titles.push(test.fullTitle());
  });
  mocha.grep(new RegExp(`^(?:${titles.map((title) => title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})$`));
}

const fileOf = (runnable) => runnable.file ?? runnable.parent?.file ?? '';

/** Resolves with the results of the tests, and of each file: what hooks of whole suites reach is counted for the file. */
function runTests(mocha) {
  const results = [];
  const files = new Map();
  let begun = performance.now();
  const taken = (file) => {
    const ms = performance.now() - begun;
    files.set(file, (files.get(file) ?? 0) + ms);
    begun += ms;
    return ms;
  };
  const failed = (id, file, error) =>
    results.push({ id, name: id, timeSpentMs: taken(file), status: TestStatus.Failed, failureMessage: error?.message || 'failed' });
  return new Promise((resolve) => {
    const runner = mocha.run(() => {
      const whole = [...files].map(([id, timeSpentMs]) => ({ id, name: id, timeSpentMs, status: TestStatus.Success }));
      resolve([...results, ...whole]);
    });
    runner.on('test', (test) => (instrumented.currentTestId = test.fullTitle()));
    runner.on('hook', (hook) => {
      if (hook.title.includes(' all" hook')) instrumented.currentTestId = fileOf(hook);
    });
    runner.on('pass', (test) => {
      const id = test.fullTitle();
      results.push({ id, name: id, timeSpentMs: taken(fileOf(test)), status: TestStatus.Success, fileName: test.file });
    });
    runner.on('fail', (runnable, error) => failed(runnable.fullTitle(), fileOf(runnable), error));
  });
}

/** Lets the sample pass. What is left out is reported as not compiled, which Stryker neither runs nor counts. */
class SampleChecker {
  async init() {}

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }

  async check(mutants) {
    const sample = new Set(inOrderOfSample(mutants).slice(0, Number(process.env.MUTATE_SAMPLE)));
    const verdict = (mutant) =>
      sample.has(mutant) ? { status: CheckStatus.Passed } : { status: CheckStatus.CompileError, reason: 'not in the sample' };
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, verdict(mutant)]));
  }
}

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'unit', MochaRunner),
  declareClassPlugin(PluginKind.Checker, 'sample', SampleChecker),
  declareClassPlugin(PluginKind.Reporter, 'at-once', AtOnce),
];
