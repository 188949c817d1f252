/** Facts about an app that a command starts: the program that runs it, and whether it logs each request. */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { findListeningProcess, getExecutable } from '../machine/kernel-counts.js'
import { readText } from '../machine/files/system-files.js'
import { run } from '../machine/process.js'

/** @import { CommandDescription, Running } from '../types.js' */

/** Runtimes whose version a report mentions. They print their version with `--version`. */
const RUNTIMES = ['node', 'nodejs', 'bun', 'deno']
const VERSION_SECONDS = 20 // As for programs (bench/machine/tools.js).
/**
 * Least number of lines that an app writes during the gate if it writes one for each request. The gate sends 200
 * requests, and the last 8 KiB of a buffered output can be missing.
 */
const LINES_OF_THE_GATE = 50
const NO_LOG = '/dev/null'
/** Programs that start an app again when a file changes, by the words of their command lines without folders. @type {[
 * string, (words: string[]) => boolean][]} */
const WATCHERS = [
  ['nodemon', words => /^nodemon(?:\.js)?$/.test(words[1])],
  ['tsx watch', words => words[1] === 'tsx' && words[2] === 'watch'],
  ['vite', words => /^vite(?:\.js)?$/.test(words[1]) && !['preview', 'build'].includes(words[2])],
  ['node --watch', words => words[0] === 'node' && words.some(word => /^--watch(?:-path)?(?:=|$)/.test(word))]
]

/**
 * Finds a program that watches the files of an app.
 * @param {number[]} pids of the app
 * @returns {string | null} its name
 */
export function findWatcher (pids) {
  const lines = pids.map(pid => readText(`/proc/${pid}/cmdline`).split('\0').map(word => basename(word)))
  return WATCHERS.find(([, isWatcher]) => lines.some(isWatcher))?.[0] ?? null
}

/**
 * Returns the log of a server's process.
 * @param {Pick<CommandDescription, 'quiet'> | null} command null: the server is not started by a command
 * @param {string} dir of the topology
 * @param {number} i index of the process
 */
export function getServerLog (command, dir, i) {
  if (command?.quiet) return NO_LOG
  return join(dir, i === 0 ? 'server.log' : `server-${i}.log`)
}

export class AppWatch {
  /** @type {NonNullable<Running['app']>} */
  facts = { program: null, writesPerRequest: false }

  /**
   * @param {CommandDescription} command
   * @param {{ dir: string, pids: number[] }} app dir: of the topology; pids: of all processes of the app
   */
  constructor (command, { dir, pids }) {
    this.command = command
    this.dir = dir
    this.pids = pids
    this.linesBefore = this.#countLines()
  }

  /** Finds the program of the process that listens, because the command can be a script or a package manager. */
  async findProgram () {
    const pid = findListeningProcess(this.pids, this.command.processes[0].listen)
    const executable = pid === null ? null : getExecutable(pid)
    if (executable === null) return
    const name = basename(executable)
    const version = RUNTIMES.includes(name) ? await readProgramVersion(executable) : null
    this.facts.program = version === null ? name : `${name === 'nodejs' ? 'node' : name} ${version}`
  }

  /** Decides from the lines that the app wrote during the gate whether it writes a line for each request. */
  endGateCounting () {
    this.facts.writesPerRequest = this.#countLines() - this.linesBefore >= LINES_OF_THE_GATE
  }

  #countLines () {
    return this.command.processes.reduce((sum, _, i) => sum + countLines(getServerLog(this.command, this.dir, i)), 0)
  }
}

/** @param {string} file */
const countLines = file => file === NO_LOG ? 0 : readFileSync(file, 'utf8').split('\n').length - 1

/**
 * @param {string} executable
 * @returns {Promise<string | null>} null: no version in its output
 */
async function readProgramVersion (executable) {
  const { stdout } = await run([executable, '--version'], { timeoutSeconds: VERSION_SECONDS })
  return /\d+\.\d+\.\d+/.exec(stdout)?.[0] ?? null
}
