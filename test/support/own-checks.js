/**
 * Checks configurations as `hopbench check <path> --quick` does, many in one enclosed process, because a command starts
 * two. As a program, which `node bench/bootstrap.js --then` starts, this file reads and prints lines of JSON.
 */
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { getErrorMessage } from '../../bench/errors.js'
import { getConfigArms } from '../../bench/features/deploy/index.js'
import { readSource } from '../../bench/features/own-config/source.js'
import { checkOwn } from '../../bench/features/own-config/study.js'
import { makeTempDir, makeTempRoot } from '../../bench/machine/files/temp.js'
import { isEnclosed, runInside } from '../../bench/machine/network/enclosure.js'
import { findNetworkTool } from '../../bench/machine/network/lab.js'
import { converse } from '../../bench/machine/process.js'
import { findProxies } from '../../bench/measure/find-programs.js'
import { project } from './cli.js'
import { tempFolder } from './temp.js'

/** @import { Test } from 'tap' */
/** @import { OwnRecord } from '../../bench/features/own-config/types.js' */

const SCRIPT = 'test/support/own-checks.js'
/** Limit for the end of the process after its last check. */
const END_SECONDS = 10

/**
 * Starts the process.
 * @param {Test} t ends it
 * @returns {(cwd: string, path: string) => Promise<OwnRecord>} checks a path in a folder
 */
export function openChecks (t) {
  const child = converse({
    name: 'the checks',
    argv: [process.execPath, join(project, 'bench/bootstrap.js'), '--then', SCRIPT],
    log: join(tempFolder(t), 'checks.log')
  })
  t.teardown(() => {
    child.stdin.end()
    return child.ends(END_SECONDS)
  })
  /** @type {((result: { record?: OwnRecord, error?: string }) => void)[]} */
  const waiting = []
  createInterface({ input: child.stdout }).on('line', line => {
    const { id, ...result } = JSON.parse(line)
    waiting[id](result)
  }).on('close', () => waiting.forEach(end => end({ error: 'the process of the checks has ended' })))
  return async (cwd, path) => {
    const id = waiting.length
    const { record, error } = await new Promise(resolve => {
      waiting.push(resolve)
      child.stdin.write(`${JSON.stringify({ id, cwd, path })}\n`)
    })
    if (!record) throw new Error(error)
    return record
  }
}

/** Carries out checks until standard input ends. @returns {Promise<number>} exit code */
export async function main () {
  const ip = await findNetworkTool()
  if (!ip) throw new Error('a check needs a network of its own')
  if (!isEnclosed()) return Number(await runInside(['--then', SCRIPT], { ip }))
  const temp = makeTempRoot()
  const check = async (/** @type {{ id: number, cwd: string, path: string }} */ { id, cwd, path }) => {
    const source = readSource(path, { cwd })
    const [program] = (await findProxies(getConfigArms([{ name: source.program.name, kind: 'proxy' }]))).values()
    return checkOwn(source, {
      path,
      program,
      ip,
      temp: makeTempDir(temp.path, String(id)),
      host: null,
      apps: {},
      folder: cwd,
      isQuick: true,
      printProgress: () => {}
    })
  }
  /** @type {Promise<unknown>[]} */
  const checks = []
  for await (const line of createInterface({ input: process.stdin })) {
    const call = JSON.parse(line)
    checks.push(check(call).then(record => ({ record }), error => ({ error: getErrorMessage(error) })).then(result => {
      process.stdout.write(`${JSON.stringify({ id: call.id, ...result })}\n`)
    }))
  }
  await Promise.all(checks)
  temp.remove()
  return 0
}
