import fc from 'fast-check'
import { resolve } from 'node:path'
import t from 'tap'
import { leadsOutside } from '../../bench/topology/outside-project.js'

const folders = { cwd: '/home/me/hopbench', project: '/home/me/hopbench' }
const leads = (/** @type {string} */ name, /** @type {Partial<typeof folders>} */ more = {}) =>
  leadsOutside(name, { ...folders, ...more })

t.test('plug-ins and modules inside the project do not lead outside', async t => {
  for (const name of ['express-json', 'nginx', 'http-fs', './servers/st.js', './test/support/wrong.js',
    '/home/me/hopbench/app.js', './a/../app.js']) t.equal(leads(name), false, name)
  t.equal(leads('../app.js', { cwd: '/home/me/hopbench/docs' }), false, 'relative to the working folder')
})

t.test('modules in other folders, and installed or generated ones, lead outside', async t => {
  for (const name of ['/tmp/evil.js', '../evil.js', './servers/../../evil.js', '/home/me/hopbench-evil/app.js', '/',
    './results/run/evil.js', './node_modules/evil/index.js', './.tools/evil.js', '..', './', '']) {
    t.equal(leads(name), true, name)
  }
  t.equal(leads('./app.js', { cwd: '/tmp' }), true, 'relative to another folder')
})

t.test('names that are not valid in a topology lead outside', async t => {
  for (const name of ['a/../../evil.js', 'data:text/javascript,0', 'file:///tmp/evil.js', 'Express', '%2e%2e/evil.js',
    './app.js\n', 'node:fs', '\\\\host\\evil.js']) t.equal(leads(name), true, JSON.stringify(name))
})

t.test('detects every relative path that leads outside', async t => {
  const parts = fc.array(fc.constantFrom('..', '.', 'a', 'results', '', 'hopbench'))
  fc.assert(fc.property(parts, parts => {
    const name = `./${parts.join('/')}`
    const inside = resolve(folders.cwd, name).startsWith(`${folders.project}/`)
    return inside || leads(name)
  }), { numRuns: 2000 })
})
