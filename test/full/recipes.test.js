import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { run } from '../../bench/machine/process.js'
import { pluginNames } from '../../bench/plugins.js'

const project = fileURLToPath(new URL('../..', import.meta.url))
const guide = readFileSync(join(project, 'CONTRIBUTING.md'), 'utf8')
const sections = guide.split(/^## /m).slice(1).filter(text => text.includes('```js '))

const copy = mkdtempSync(join(tmpdir(), 'recipes-'))
t.teardown(() => rmSync(copy, { recursive: true, force: true }))
for (const part of ['bench', 'servers', 'proxy', ...pluginNames('proxy'), 'results/schema.json', 'package.json',
  'package-lock.json']) {
  cpSync(join(project, part), join(copy, part), { recursive: true })
}
symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'))

t.equal(sections.length, 5, 'recipes for a server, a proxy, an engine, an experiment and a scenario')

for (const section of sections) {
  const title = section.split('\n')[0]
  t.test(`the recipe for ${title.toLowerCase()} works as printed`, async t => {
    for (const [, file, text] of section.matchAll(/^```js (\S+)\n(.*?)^```$/gms)) {
      mkdirSync(dirname(join(copy, file)), { recursive: true })
      writeFileSync(join(copy, file), text)
    }
    for (const [, script] of section.matchAll(/^```sh\n(.*?)^```$/gms)) {
      for (const line of script.trim().split('\n')) {
        const { exit, stdout, stderr } = await run(['sh', '-c', line], {
          cwd: copy,
          timeoutSeconds: 120,
          env: { INIT_CWD: copy }
        })
        t.equal(exit, 0, line) || t.comment(stdout, stderr)
      }
    }
  })
}
