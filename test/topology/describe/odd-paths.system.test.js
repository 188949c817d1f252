/** Configurations of nginx, Apache and Caddy for folders with unusual names. */
import fc from 'fast-check'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../../support/tap.js'
import { labFacts } from '../../../bench/machine/network/lab.js'
import { findProxies } from '../../../bench/measure/find-programs.js'
import { openStage } from '../../../bench/measure/stage.js'
import { run } from '../../../bench/machine/process.js'
import { describe } from '../../../bench/topology/describe/describe.js'
import { armFrom } from '../../../bench/request/request.js'
import { tempRoot } from '../../support/temp.js'

/** Characters that are legal in file names and special in a shell, nginx or Apache. */
const SIGNS = [' ', '  ', '"', '\'', '`', '{', '}', '(', ')', '[', ']', '<', '>', ';', '#', '%', '%20', '\\', '\\n',
  '|', '&', '*', '?', '~', '=', ',', ':', '@', '!', '^', 'é', '日本', '😀', '.', '..x', '-']
const name = fc.array(fc.oneof(fc.constantFrom(...SIGNS), fc.stringMatching(/^[a-z]{1,3}$/)),
  { minLength: 1, maxLength: 8 }).map(parts => parts.join('')).filter(name => !['.', '..', ''].includes(name))
const { network } = await labFacts()
const temp = tempRoot(t)

for (const [proxy, options] of Object.entries({ nginx: '+gzip+open_file_cache', apache: '+gzip', caddy: '+gzip' })) {
  t.test(`${proxy} accepts the rendered configuration for folders with special characters`, async t => {
    const arm = await armFrom(`${proxy}${options}/files`, { connections: 10, path: '/' })
    const program = (await findProxies([arm])).get(proxy) ?? null
    let i = 0
    const signs = (program?.plugin.interprets?.signs ?? []).filter(sign => SIGNS.includes(sign))
    const accepted = name.filter(odd => !signs.some(sign => odd.includes(sign)))
    await fc.assert(fc.asyncProperty(accepted, async odd => {
      const dir = join(temp.path, `${proxy}-${i++}`, odd)
      const root = join(dir, `files ${odd}`)
      mkdirSync(root, { recursive: true })
      const ports = { front: 8080, origin: 3000 }
      const { proxy: made } = describe(arm.topology, { dir, root, ports, clients: 10, proxy: program })
      if (!made) throw new Error('no proxy')
      for (const [file, text] of Object.entries(made.files)) writeFileSync(join(dir, file), text)
      const { exit, stderr } = await run(made.check, { env: made.env, cwd: dir })
      if (exit !== 0) throw new Error(`${odd}: ${stderr}`)
    }), { numRuns: 25 })
    t.equal(i >= 25, true)
  })
}

t.test('nginx and Apache serve the files of a folder with special characters', async t => {
  const root = join(temp.path, 'it\'s "1"; #é [x] {y} \\z 日本')
  mkdirSync(root)
  writeFileSync(join(root, 'index.html'), 'here')
  const load = { connections: 10, path: '/' }
  const arms = [await armFrom('nginx/files', load), await armFrom('apache/files', load)]
  const lab = network === 'namespaces'
  const stage = await openStage(arms, { temp: temp.path, lab, cores: null, cwd: process.cwd(), root })
  t.teardown(() => stage.close())
  t.strictSame([...stage.refused.values()], [], 'the gate compares the bytes')
})
