#!/usr/bin/env node
/**
 * Entry point of every command. Checks the version of Node and the limit of open files, installs missing npm packages,
 * then calls main() of cli.js, or of another script with `--then <script>`. This file and its static imports use node:
 * modules only, because node_modules may be missing.
 */
import { fileURLToPath } from 'node:url'
import { explain, plain } from './errors.js'
import { checkOpenFiles } from './machine/files/open-files.js'
import { guardOutput } from './machine/guard-output.js'
import { inOwnWords, keepOwnName, repeatWith } from './machine/own-command.js'
import { bringDependencies, checkNode } from './machine/setup/install.js'

const project = new URL('../', import.meta.url)
const LEFT_OPEN_SECONDS = 5 // Handles close within milliseconds after the last output.

/**
 * @param {string[]} argv
 * @returns {Promise<number>} exit code
 */
async function start (argv) {
  checkNode(fileURLToPath(project))
  checkOpenFiles()
  await bringDependencies(fileURLToPath(project))
  const [script, args] = argv[0] === '--then' ? [argv[1], argv.slice(2)] : ['bench/cli.js', argv]
  const { main } = await import(new URL(script, project).href)
  return main(args)
}

for (const stream of [process.stdout, process.stderr]) guardOutput(stream)
// Programs such as head close the pipe early.
process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => { if (error.code !== 'EPIPE') throw error })

/**
 * Lets the process end by itself. Ends it after a time limit if a handle is still open, which is a bug of hopbench, and
 * prints the handles. Waits for pending output first.
 *
 * @param {number} code
 */
function end (code) {
  process.exitCode = code
  setInterval(() => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) return
    const open = [...new Set(process.getActiveResourcesInfo())].join(', ')
    process.stderr.write(`hopbench left handles open (${open}) and was ended. Please report it.\n`)
    process.exit()
  }, LEFT_OPEN_SECONDS * 1000).unref()
}

keepOwnName(process.argv[1])
const argv = process.argv.slice(2)
start(argv).then(end, error => {
  const { text, json: { error: facts }, exit } = explain(error)
  const command = repeatWith(argv, error.details ?? {})
  process.stderr.write(`${process.env.HOPBENCH_DEBUG ? error.stack : inOwnWords(text)}\n`)
  if (command) process.stderr.write(`    ${plain(command)}\n`)
  // With --json a program reads stdout, so the error is printed there, too.
  const remedy = [inOwnWords(facts.try), ...command ? [plain(command)] : []].join(' ')
  if (wantsJson(argv)) process.stdout.write(`${JSON.stringify({ error: { ...facts, try: remedy } })}\n`)
  end(exit)
})

/** @param {string[]} argv */
function wantsJson (argv) {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json')
}
