/** Runs commands of hopbench as processes of their own, whose failure or hang does not affect this one. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { run, start } from '../machine/process.js'
import { attempt } from '../shared/attempt.js'

/** @import { Child } from '../machine/shapes.js' */

const bootstrap = fileURLToPath(new URL('../bootstrap.js', import.meta.url))
const ENDING_SECONDS = 60 // After SIGINT a run finishes its window and stores its record.
const POLL_MS = 100

/**
 * Returns argv before the words of a command. The kernel ends the command if this process dies, where util-linux has
 * setpriv.
 *
 * @returns {Promise<string[]>}
 */
export async function childCommand () {
  const argv = ['setpriv', '--pdeathsig', 'TERM', '--']
  const wrapper = (await run([...argv, 'true'])).exit === 0 ? argv : []
  return [...wrapper, process.execPath, bootstrap]
}

/**
 * Starts a command. Its result goes to NAME.json in a folder, and its progress to NAME.log.
 *
 * @param {string[]} words of the command, with --json
 * @param {{ name: string, dir: string, command: string[] }} options command: of childCommand()
 * @returns {{ child: Child, stdout: string, log: string }} paths of both files
 */
export function startChild (words, { name, dir, command }) {
  const stdout = join(dir, `${name}.json`)
  const log = join(dir, `${name}.log`)
  // An older log must not be mistaken for that of this command.
  for (const file of [stdout, log]) rmSync(file, { force: true })
  return { child: start({ name, argv: [...command, ...words], stdout, log }), stdout, log }
}

/**
 * Waits for the end of a command. Forwards Ctrl-C to it, and stops it after a time limit.
 *
 * @param {Child} child
 * @param {{ interrupted: () => number, seconds: number }} limits interrupted: number of times that Ctrl-C was pressed
 * @returns {Promise<boolean>} whether the time limit was exceeded
 */
export async function waitForEnd (child, { interrupted, seconds }) {
  const deadline = performance.now() + seconds * 1000
  let forwarded = 0
  while (!child.ended()) {
    for (const pressed = interrupted(); forwarded < pressed; forwarded++) child.signal('SIGINT')
    if (performance.now() > deadline) {
      await child.stop({ signal: 'SIGINT', graceSeconds: ENDING_SECONDS })
      return true
    }
    await Promise.race([child.exited, sleep(POLL_MS)])
  }
  return false
}

/**
 * Reads the JSON that a command has printed.
 *
 * @param {string} file
 * @returns {any} null: the command has printed no JSON, or an error
 */
export function readPrinted (file) {
  const printed = attempt(() => JSON.parse(readFileSync(file, 'utf8')), () => null)
  return printed?.error ? null : printed
}

/**
 * Reads the error that a command has printed.
 *
 * @param {string} file
 * @returns {{ code: string, message: string, try: string } | null}
 */
export const readError = file => attempt(() => JSON.parse(readFileSync(file, 'utf8')).error ?? null, () => null)
