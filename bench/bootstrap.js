#!/usr/bin/env node
/** The first step of every command: checks Node, brings the npm packages where they are missing, then hands over to
 * cli.js, or with `--then <script>` to the `main(args)` of that script. It must run without node_modules: it and what
 * it imports statically use node: modules only. */
import { fileURLToPath } from 'node:url'
import { explain } from './errors.js'
import { bringDependencies, checkNode } from './machine/setup/install.js'

const project = new URL('../', import.meta.url)
const LEFT_OPEN_SECONDS = 5

/**
 * @param {string[]} argv
 * @returns {Promise<number>} exit code
 */
async function start (argv) {
  checkNode(fileURLToPath(project))
  await bringDependencies(fileURLToPath(project))
  const [script, args] = argv[0] === '--then' ? [argv[1], argv.slice(2)] : ['bench/cli.js', argv]
  const { main } = await import(new URL(script, project).href)
  return main(args)
}

// A reader of the first lines only, as head is, has what it wanted.
process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => { if (error.code !== 'EPIPE') throw error })

/** A command that has left something open ends all the same, and says so: it is a fault of hopbench. Output that a
 * reader takes late is waited for. @param {number} code */
function end (code) {
  process.exitCode = code
  setInterval(() => {
    if (process.stdout.writableLength + process.stderr.writableLength > 0) return
    const open = [...new Set(process.getActiveResourcesInfo())].join(', ')
    process.stderr.write(`hopbench left something open (${open}) and was ended. Please report it.\n`)
    process.exit()
  }, LEFT_OPEN_SECONDS * 1000).unref()
}

const argv = process.argv.slice(2)
start(argv).then(end, error => {
  const { text, json, exit } = explain(error)
  process.stderr.write(`${process.env.HOPBENCH_DEBUG ? error.stack : text}\n`)
  // Where a program reads the output it reads the error, too.
  if (wantsJson(argv)) process.stdout.write(`${JSON.stringify(json)}\n`)
  end(exit)
})

/** @param {string[]} argv */
function wantsJson (argv) {
  const end = argv.indexOf('--')
  return (end === -1 ? argv : argv.slice(0, end)).includes('--json')
}
