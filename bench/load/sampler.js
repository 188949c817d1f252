/** Runs checker.js: before the load as the gate, and beside an engine that does not compare bodies as its sampler. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeBody } from './request-body.js'
import { start } from '../machine/process.js'

/** @import { EnginePlugin, Load, Target } from '../types.js' */
/** @import { GeneratorOrder } from './shapes.js' */

const CHECKER = fileURLToPath(new URL('./generators/checker.js', import.meta.url))
/** Seconds between two responses whose body is compared. */
export const SAMPLE_EVERY_SECONDS = 0.1

/**
 * Returns the command that requests a target and checks its responses.
 * @param {Pick<Target, 'url' | 'socketPath' | 'caFile' | 'http2'>} target
 * @param {Pick<Load, 'path' | 'headers'> & Partial<Load>} load
 * @param {object} order what else checker.js gets
 */
export const checkerCommand = ({ url, socketPath, caFile, http2 }, load, order) => ({
  argv: [process.execPath, CHECKER],
  env: {
    HOPBENCH_CHECKER: JSON.stringify({
      url,
      socketPath,
      caFile,
      http2,
      path: load.path,
      paths: load.paths,
      headers: load.headers,
      method: load.method,
      hasBody: load.body !== undefined,
      ignoreBody: load.ignoreBody,
      ...order
    })
  }
})

/**
 * Whether an engine needs a sampler, because it does not compare bodies. One sampler is enough for an engine that is
 * spread over machines.
 * @param {EnginePlugin} engine
 * @param {Pick<GeneratorOrder, 'target' | 'part'>} order
 */
export function needsSampler ({ about: { checksBodies } }, { target, part }) {
  const { expectBody, expectByPath, expectMasked } = target
  if (part?.role === 'worker') return false
  return Boolean(expectByPath ?? expectMasked) || (!checksBodies && Boolean(expectBody))
}

/** Starts the sampler of an arm. @param {GeneratorOrder} order */
export function startSampler ({ name, load, target, network, cores, dir }) {
  const { expectBody, expectByPath, expectMasked, expectStatus = 200, tellStatuses } = target
  const body = decodeBody(load)
  const bodyAt = join(dir, 'sampler.body')
  if (body) writeFileSync(bodyAt, body)
  // In a file, because the hashes of many paths are too long for the environment.
  const byPathFile = expectByPath ? join(dir, 'expected.json') : null
  if (byPathFile) writeFileSync(byPathFile, JSON.stringify(expectByPath))
  return start({
    name: `the sampler of ${name}`,
    ...checkerCommand(target, load, {
      tellStatuses,
      everySeconds: SAMPLE_EVERY_SECONDS,
      expected: { status: expectStatus, sha256: expectMasked ?? expectBody?.sha256, byPathFile },
      errorLog: join(dir, 'sampler.jsonl')
    }),
    ...body && { input: bodyAt },
    enter: network.enter,
    cores,
    stdout: join(dir, 'sampler.out'),
    log: join(dir, 'sampler.err')
  })
}
