/** `hopbench engines` in a copy of the project with some of its engines. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { hopbench, leavesNothing, makeWorkspace } from './cli.js'
import { copyOfProject } from './project.js'

/** @import { Test } from 'tap' */

/**
 * Measures one topology with engines in six windows of one second. Asserts that each engine has its figures, or the
 * reason for which it is left out.
 * @param {Test} t
 * @param {string[]} names of the engines, sorted; s-time must be among them
 */
export async function checkEngines (t, names) {
  const workspace = makeWorkspace(t)
  const from = copyOfProject(t)
  const folder = join(from, 'bench/engines')
  const others = readdirSync(folder).filter(file => !names.some(name => file === `${name}.js`))
  for (const file of others) rmSync(join(folder, file))
  const { exit, stdout, stderr } = await hopbench(['engines', 'nginx:keepalive/http-json', '--quick', '--connections',
    '10', '--json'], { workspace, from, timeoutSeconds: 150 })
  t.equal(exit, 0) || t.comment(stderr)
  const { comparisons: [{ engines, leftOut, blocks, connections }] } = JSON.parse(stdout)
  t.match({ blocks, connections }, { blocks: 6, connections: 10 })
  t.ok(engines.length > 1, 'several engines are available')
  t.same([...engines, ...leftOut].map(({ name }) => name).sort(), names,
    'every engine is measured or left out with a reason')
  t.match(leftOut.find((/** @type {{ name: string }} */ { name }) => name === 's-time')?.why,
    /cannot speak HTTP without TLS/)
  for (const { name, windows, failures, rps, ownRps, share, latencyNote } of engines) {
    t.equal(windows + failures.length, 6, `${name}: every window is reported`)
    t.ok(rps.median > 0 && ownRps > 0 && share > 0, `${name}: both sides counted`)
    t.ok(latencyNote.length > 0)
  }
  await leavesNothing(t, workspace)
}
