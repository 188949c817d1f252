#!/usr/bin/env node
/**
 * The first step of every command: checks Node, brings the npm packages where they are missing,
 * then hands over to cli.js, or with `--then <script>` to the `main(args)` of that script. It must
 * run without node_modules: it and what it imports statically use node: modules only.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HopbenchError, explain } from './errors.js'
import { bringDependencies, satisfies } from './setup/install.js'

const project = new URL('../', import.meta.url)

/**
 * @param {string[]} argv
 * @returns {Promise<number>} exit code
 */
async function start (argv) {
  checkNode()
  await bringDependencies(fileURLToPath(project))
  const [script, args] = argv[0] === '--then' ? [argv[1], argv.slice(2)] : ['bench/cli.js', argv]
  const { main } = await import(new URL(script, project).href)
  return main(args)
}

/** @throws {HopbenchError} node-too-old */
function checkNode () {
  const { engines } = JSON.parse(readFileSync(new URL('package.json', project), 'utf8'))
  if (!satisfies(process.version, engines.node)) throw new HopbenchError('node-too-old', { found: process.version, wanted: engines.node })
}

start(process.argv.slice(2)).then(code => { process.exitCode = code }, error => {
  process.stderr.write(`${process.env.HOPBENCH_DEBUG ? error.stack : explain(error).text}\n`)
  process.exitCode = explain(error).exit
})
