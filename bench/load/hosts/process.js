/** Runs the processes of a load generator on another machine, as the child of one ssh command. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HopbenchError, plain, quoteForShell } from '../../errors.js'
import { makeFolder } from '../../machine/files/make-folder.js'
import { converse, readLastLines } from '../../machine/process.js'
import { commandOn } from './ssh.js'

/** @import { LoadHost } from '../types.js' */
/** @import { Child } from '../../machine/types.js' */
/** @typedef {Awaited<Child['exited']>} End */

/** Interval of words to the host, so that each side notices the loss of the other one. */
const BEAT_SECONDS = 5
/** Limit of a reply, and of the silence after which the host ends the generator. */
const SILENCE_SECONDS = 20
/** Interval of repeated signals, as for local processes: wrk ends early only if its first thread takes the signal. */
const INSIST_MS = 200
/** Time for sending the reports and removing the folder after the end of the generator. */
const END_SECONDS = 20
/** Limits of a report, whose beginning is left out if it is longer, and of everything that a host sends at once. The
 * reports of the engines have a few kilobytes. */
const MAX_REPORT_BYTES = 1_000_000
const MAX_BYTES = 8 * MAX_REPORT_BYTES
/** Files that a host may send: output, exit code and report of a process. */
const REPORT = /^file ((?:\d{1,2}\.(?:out|err|exit))|[\w-]{1,40}\.csv) (\d{1,7})\n/

/**
 * Returns the script that the host runs. It reads the files of the generator, starts the script `load` as a process
 * group, and then reads words: a signal for the group, or any other. Each word gets the CPU time of the group as reply,
 * in nanoseconds, because the ticks of /proc/<pid>/stat are 10 ms. At the end of the input it kills the group, sends
 * the reports and removes its folder. If words stop, a watchdog does the same without the reports, because sshd notices
 * a broken link only after hours.
 *
 * @param {[name: string, content: Buffer][]} files
 */
const toScript = files => `
umask 077
d=$(mktemp -d) && cd "$d" && export TMPDIR="$d" || exit 1
${files.map(([name, { length }]) =>
  `dd bs=${Math.max(1, length)} count=${Math.min(1, length)} iflag=fullblock of=${name} 2>/dev/null`).join('\n')}
setsid sh load </dev/null & load=$!
setsid sh -c 'while sleep ${SILENCE_SECONDS}; do now=$(cat words); [ "$now" = "$last" ] && break; last=$now; done
kill -s KILL -- "-$1" "$2"; rm -rf "$3"' sh "$load" $$ "$d" </dev/null >/dev/null 2>&1 & watchdog=$!
trap '' HUP PIPE TERM
words=0
while read -r word; do
  words=$((words + 1)); echo $words >words
  case $word in STOP|CONT|INT) kill -s "$word" -- "-$load" 2>/dev/null;; esac
  threads=$(cat /proc/[0-9]*/stat 2>/dev/null | awk -v group="$load" '{ pid = $1; sub(/^.*\\) /, "") }
    $3 == group { print "/proc/" pid "/task/*/schedstat" }')
  cat /dev/null $threads 2>/dev/null | awk '{ used += $1 } END { printf "cpu %.0f\\n", used }'
done
kill -s KILL -- "-$load" "-$watchdog" 2>/dev/null
wait
echo files
for f in [0-9]*.* *.csv; do
  [ -f "$f" ] || continue
  size=$(($(wc -c <"$f")))
  [ $size -gt ${MAX_REPORT_BYTES} ] && size=${MAX_REPORT_BYTES}
  echo "file $f $size"
  tail -c $size "$f"
done
cd / && rm -rf "$d"`

/**
 * Returns the script that runs the processes of a generator and reports their end.
 *
 * @param {{ argv: string[], env?: Record<string, string> }[]} processes
 */
const toLoad = processes => [
  ...processes.map(({ argv, env = {} }, i) => {
    const words = [...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...argv].map(quoteForShell)
    return `{ env ${words.join(' ')} >${i}.out 2>${i}.err; echo $? >${i}.exit; } &`
  }),
  'wait',
  'echo ended\n'
].join('\n')

/** The processes of a generator on another machine. The interface Child describes the methods. */
export class RemoteProcess {
  /** @type {End | null} */
  #end = null
  /** @type {(ends: End[]) => void} */
  #resolveExited = () => {}
  /** Ends of the processes, in order. @type {Promise<End[]>} */
  exited = new Promise(resolve => { this.#resolveExited = resolve })
  /** Time of the end, in seconds of performance.now(). */
  endedAt = Infinity
  /** Why the machine is lost; null: it is not. @type {HopbenchError | null} */
  lost = null
  #dir
  #processes
  #child
  #beats
  #received = Buffer.alloc(0)
  #hasFiles = false
  #isEnding = false
  /** Last CPU time of the processes, in seconds. */
  #seconds = 0
  /** Resolves when the word before has its reply. @type {Promise<unknown>} */
  #turn = Promise.resolve()
  /** Ends the wait for a reply. */
  #settle = () => {}

  /**
   * @param {LoadHost} host
   * @param {object} order
   * @param {string} order.name for messages
   * @param {string} order.dir takes the reports and logs
   * @param {Record<string, string | Buffer>} [order.files] that the processes read in their working directory
   * @param {{ argv: string[], env?: Record<string, string> }[]} order.processes
   */
  constructor (host, { name, dir, files = {}, processes }) {
    this.name = `${name} on ${host.name}`
    this.host = host
    this.#dir = dir
    this.#processes = processes.length
    makeFolder(dir)
    const contents = Object.entries({ ...files, load: toLoad(processes) })
      .map(([file, content]) => /** @type {[string, Buffer]} */ ([file, Buffer.from(content)]))
    this.#child = converse({ name: this.name, argv: commandOn(host, toScript(contents)), log: this.#log })
    const { stdin, stdout } = this.#child
    stdin.on('error', () => {})
    stdout.on('data', chunk => this.#read(chunk)).on('close', () => this.#close())
    for (const [, content] of contents) stdin.write(content)
    this.#beats = setInterval(() => { this.#say('beat').catch(() => {}) }, BEAT_SECONDS * 1000)
  }

  ended = () => this.#end
  pause = () => this.#say('STOP')
  resume = () => this.#say('CONT')
  tail = () => plain(readLastLines(join(this.#dir, '0.err')))

  /** Returns the CPU time of the processes so far, in seconds. */
  cpu = () => this.#say('cpu')

  /**
   * Ends the processes and fetches their reports.
   *
   * @param {{ signal?: NodeJS.Signals, graceSeconds?: number }} [options] signal: SIGINT, else they are killed
   */
  async stop ({ signal = 'SIGKILL', graceSeconds = 0 } = {}) {
    if (signal === 'SIGINT') await this.#interrupt(performance.now() + graceSeconds * 1000)
    this.#endInput()
    await Promise.race([this.exited, sleep(END_SECONDS * 1000, null, { ref: false })])
    await this.#killSsh()
    return this.exited
  }

  /** Sends SIGINT until the processes end. @param {number} deadline in ms of performance.now() */
  async #interrupt (deadline) {
    await this.resume().catch(() => {})
    while (!this.#isEnding && performance.now() < deadline) {
      await this.#say('INT').catch(() => {})
      await Promise.race([this.exited, sleep(INSIST_MS)])
    }
  }

  async #killSsh () {
    await this.#child.ends(0)
    this.#child.stdout.destroy()
  }

  get #log () {
    return join(this.#dir, 'ssh.err')
  }

  #endInput () {
    this.#isEnding = true
    this.#child.stdin.end()
  }

  /**
   * Sends a word after the reply to the one before.
   *
   * @param {string} word
   * @returns {Promise<number>} CPU time of the processes, in seconds
   * @throws {HopbenchError} host-lost, host-answer
   */
  #say (word) {
    const said = this.#turn.then(() => this.#exchange(word))
    this.#turn = said.catch(() => {})
    return said
  }

  /** @param {string} word */
  async #exchange (word) {
    if (!this.#isEnding) {
      const timer = setTimeout(() => this.#lose(`no response within ${SILENCE_SECONDS} s`), SILENCE_SECONDS * 1000)
      await new Promise(resolve => {
        this.#settle = () => resolve(null)
        this.#child.stdin.write(`${word}\n`)
      })
      clearTimeout(timer)
    }
    if (this.lost) throw this.lost
    return this.#seconds
  }

  /** @param {Buffer} chunk */
  #read (chunk) {
    if (this.lost) return
    this.#received = Buffer.concat([this.#received, chunk])
    for (let end; !this.#hasFiles && (end = this.#received.indexOf('\n')) >= 0;) {
      const line = this.#received.toString('latin1', 0, end)
      this.#received = this.#received.subarray(end + 1)
      this.#handle(line)
    }
    if (this.#received.length > MAX_BYTES) this.#lose('it sent too much', 'host-answer')
  }

  /** @param {string} line */
  #handle (line) {
    const nanoseconds = /^cpu (\d{1,18})$/.exec(line)?.[1]
    if (nanoseconds !== undefined) {
      // Threads that have ended are not in the sum.
      this.#seconds = Math.max(this.#seconds, Number(nanoseconds) / 1e9)
      this.#settle()
    } else if (line === 'ended') this.#endInput()
    else if (line === 'files') this.#hasFiles = true
    else this.#lose(`"${plain(line.slice(0, 100))}" was not expected`, 'host-answer')
  }

  /** Handles the end of ssh. */
  #close () {
    clearInterval(this.#beats)
    const codes = this.#hasFiles && !this.lost ? this.#keepReports() : []
    if (!this.#hasFiles) this.#lose(plain(readLastLines(this.#log, 1)) || 'ssh ended')
    const ends = Array.from({ length: this.#processes }, (_, i) =>
      codes[i] === undefined ? { code: null, signal: 'SIGKILL' } : { code: codes[i], signal: null })
    this.#isEnding = true
    this.#end = ends[0]
    this.endedAt = performance.now() / 1000
    this.#settle()
    this.#resolveExited(ends)
  }

  /** Stores the reports. @returns {number[]} exit codes of the processes that ended by themselves */
  #keepReports () {
    /** @type {number[]} */
    const codes = []
    for (let rest = this.#received; rest.length > 0;) {
      const [head = '', name = '', size = ''] = REPORT.exec(rest.toString('latin1', 0, 100)) ?? []
      const end = head.length + Number(size)
      if (head === '' || end > rest.length) {
        this.#lose('it sent an unknown or incomplete file', 'host-answer')
        return []
      }
      const content = rest.subarray(head.length, end)
      writeFileSync(join(this.#dir, name), content)
      if (name.endsWith('.exit')) codes[Number.parseInt(name)] = Number(content)
      rest = rest.subarray(end)
    }
    return codes
  }

  /**
   * Gives up the machine.
   *
   * @param {string} why
   * @param {'host-lost' | 'host-answer'} [code]
   */
  #lose (why, code = 'host-lost') {
    if (this.lost) return
    this.lost = new HopbenchError(code, { host: this.host.name, why })
    this.host.lost ??= this.lost
    this.#isEnding = true
    this.#settle()
    this.#killSsh()
  }
}
