/** Runs checker.js: before the load as the gate, and beside an engine that does not compare bodies as its sampler. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { toRequests } from './request-body.js'
import { start } from '../machine/process.js'

/** @import { EnginePlugin, Load, Target } from '../types.js' */
/** @import { GeneratorOptions } from './types.js' */

const CHECKER = fileURLToPath(new URL('./generators/checker.js', import.meta.url))
/** Seconds between two responses whose body is compared. */
export const SAMPLE_EVERY_SECONDS = 0.1

/**
 * Returns the command that sends requests to a target and checks the responses, and the requests as its input.
 * @param {Pick<Target, 'url' | 'address' | 'socketPath' | 'caFile' | 'http2'>} target
 * @param {Pick<Load, 'path' | 'headers'> & Partial<Load>} load
 * @param {object} options what else checker.js gets
 */
export const checkerCommand = ({ url, address, socketPath, caFile, http2 }, load, options) => ({
  argv: [process.execPath, CHECKER],
  env: {
    HOPBENCH_CHECKER: JSON.stringify({
      url,
      address,
      socketPath,
      caFile,
      http2,
      headers: load.headers,
      ignoreBody: load.ignoreBody,
      ...options
    })
  },
  input: JSON.stringify(toRequests(load))
})

/**
 * Whether an engine needs a sampler, because it does not compare bodies. The sampler runs on this machine, also beside
 * a generator on another one.
 * @param {EnginePlugin} engine
 * @param {Pick<GeneratorOptions, 'target'>} options
 */
export function needsSampler ({ about: { checksBodies } }, { target }) {
  const { expectBody, expectMix, expectMasked } = target
  return Boolean(expectMix ?? expectMasked) || (!checksBodies && Boolean(expectBody))
}

/** Starts the sampler of an arm. @param {GeneratorOptions} order */
export function startSampler ({ name, load, target, network, cores, dir }) {
  const { expectBody, expectMix, expectMasked, expectStatus = 200, countsErrorResponses } = target
  // In a file, because the hashes of many responses are too long for the environment.
  const mixFile = expectMix ? join(dir, 'expected.json') : null
  if (mixFile) writeFileSync(mixFile, JSON.stringify(expectMix))
  const { argv, env, input } = checkerCommand(target, load, {
    countsErrorResponses,
    everySeconds: SAMPLE_EVERY_SECONDS,
    expected: { status: expectStatus, sha256: expectMasked ?? expectBody?.sha256, mixFile },
    errorLog: join(dir, 'sampler.jsonl')
  })
  const inputFile = join(dir, 'sampler.requests')
  writeFileSync(inputFile, input)
  return start({
    name: `the sampler of ${name}`,
    argv,
    env,
    input: inputFile,
    enter: network.enter,
    cores,
    stdout: join(dir, 'sampler.out'),
    log: join(dir, 'sampler.err')
  })
}
