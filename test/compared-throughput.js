/** Measures the servers of frameworks and runtimes against nginx, and files the run among the reference runs. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FRAMEWORKS_RUN } from '../bench/features/publish/answers.js'
import { toFingerprint } from '../bench/judge/machines.js'
import { readRun, REFERENCE_DIR } from '../bench/store/store.js'
import { fileRun } from './perf/reference.js'
import { hopbench, makeWorkspace } from './support/cli.js'

/** Limit of the run, which takes ten minutes after its programs are there. */
const RUN_SECONDS = 1500
const BUDGET = '10m'

/**
 * Returns the experiment, with the page and the connections of static-html. Its generator, ab, would be the limit of
 * Bun.
 * @param {Record<string, { command: string, cwd: string }>} servers by name; cwd: relative to the folder of the run
 */
export const toExperiment = servers => ({
  title: 'an HTML page of 8,550 bytes from the servers of frameworks and runtimes',
  servers,
  arms: Object.fromEntries([['nginx', 'nginx/files'], ...Object.keys(servers).map(name => [name, name])]),
  cores: 'shared',
  load: { engine: 'wrk', connections: 200, path: '/page.html' }
})

/**
 * @param {Parameters<typeof toExperiment>[0]} servers
 * @param {string} folder in which their folders are
 * @returns {Promise<string>} folder of the filed run
 */
export async function measureServers (servers, folder) {
  /** @type {(() => unknown)[]} */
  const undos = []
  const workspace = makeWorkspace({ teardown: undo => undos.unshift(undo) })
  try {
    // A stored command has no path of this machine.
    const file = `${FRAMEWORKS_RUN}.json`
    writeFileSync(join(folder, file), JSON.stringify(toExperiment(servers)))
    undos.push(() => rmSync(join(folder, file)))
    const args = ['run', file, '--release', 'current', '--budget', BUDGET, '--results', workspace.results]
    const { exit, stdout, stderr } = await hopbench(args, { workspace, cwd: folder, timeoutSeconds: RUN_SECONDS })
    const run = readdirSync(workspace.results).find(name => name.endsWith(`-${FRAMEWORKS_RUN}`)) ?? ''
    const { record } = await readRun(join(workspace.results, run))
    if (!record?.complete) throw new Error(`the run failed with code ${exit}: ${stderr}${stdout}`)
    return fileRun(join(workspace.results, run), join(REFERENCE_DIR, toFingerprint(record.environment)), folder)
  } finally {
    for (const undo of undos) await undo()
  }
}
