/** Folders of runs that another person could send: each command ends within seconds, and changes no other file. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { failsWell, hopbench, makeWorkspace } from '../support/cli.js'
import { failsInProcess } from '../support/in-process.js'
import { makePlan, makeRecord, makeSample } from '../support/record.js'

/** @import { Workspace } from '../support/cli.js' */

const MESSAGE = /\[bad-run-file\]/

/** Writes the folder of a run that was cut off. @param {Workspace} workspace */
function writeRun ({ dir }) {
  const run = join(dir, 'run')
  mkdirSync(join(run, 'keepalive'), { recursive: true })
  writeFileSync(join(run, 'plan.json'), JSON.stringify(makePlan()))
  writeFileSync(join(run, 'run.json'), JSON.stringify(makeRecord({ complete: false, endedAt: null, ended: null })))
  writeFileSync(join(run, 'samples.jsonl'), `${JSON.stringify(makeSample())}\n`)
  writeFileSync(join(dir, 'precious'), 'kept')
  mkdirSync(join(dir, 'outside'))
  return run
}

/** @type {[string, (file: string) => void][]} */
const kinds = [
  ['a FIFO', file => { execFileSync('mkfifo', [file]) }],
  ['a link to an endless device', file => symlinkSync('/dev/zero', file)]
]
for (const [kind, plant] of kinds) {
  t.test(`report and compare reject ${kind}`, async t => {
    const workspace = makeWorkspace(t)
    const run = writeRun(workspace)
    rmSync(join(run, 'samples.jsonl'))
    plant(join(run, 'samples.jsonl'))
    for (const args of [['report', run], ['compare', run, run]]) {
      await failsInProcess(t, args, { workspace, exit: 1, message: MESSAGE })
    }
  })
}

t.test('report reads a folder with a large file of slashes', async t => {
  const workspace = makeWorkspace(t)
  const run = writeRun(workspace)
  writeFileSync(join(run, 'keepalive/nginx.conf'), '/'.repeat(1 << 20))
  const { exit, stdout } = await hopbench(['report', run], { workspace, timeoutSeconds: 60 })
  t.equal(exit, 0)
  t.match(stdout, /keepalive/)
})

t.test('run --resume does not append to the target of a link', async t => {
  const workspace = makeWorkspace(t)
  const run = writeRun(workspace)
  rmSync(join(run, 'samples.jsonl'))
  symlinkSync(join(workspace.dir, 'precious'), join(run, 'samples.jsonl'))
  const result = await hopbench(['run', '--resume', run], { workspace })
  await failsWell(t, result, { workspace, exit: 1, message: MESSAGE })
  t.equal(readFileSync(join(workspace.dir, 'precious'), 'utf8'), 'kept')
})

t.test('run --resume does not write into a folder behind a link', async t => {
  const workspace = makeWorkspace(t)
  const run = writeRun(workspace)
  // Without a record, the machine of the earlier part is unknown and not compared.
  rmSync(join(run, 'run.json'))
  symlinkSync(join(workspace.dir, 'outside'), join(run, 'tcp'))
  const result = await hopbench(['run', '--resume', run], { workspace })
  await failsWell(t, result, { workspace, exit: 1, message: MESSAGE })
  t.strictSame(readdirSync(join(workspace.dir, 'outside')), [])
  t.equal(readFileSync(join(run, 'samples.jsonl'), 'utf8').split('\n').length, 2)
})
