import fc from 'fast-check'
import { resolve } from 'node:path'
import t from 'tap'
import { leadsOutside } from '../../bench/topology/outside-project.js'

const where = { cwd: '/home/me/hopbench', project: '/home/me/hopbench' }
const leads = (/** @type {string} */ name, /** @type {Partial<typeof where>} */ more = {}) =>
  leadsOutside(name, { ...where, ...more })

t.test('a plug-in is the project\'s, and so is a module inside', async t => {
  for (const name of ['express-json', 'nginx', 'http-fs', './servers/st.js', './test/support/wrong.js',
    '/home/me/hopbench/app.js', './a/../app.js']) t.equal(leads(name), false, name)
  t.equal(leads('../app.js', { cwd: '/home/me/hopbench/docs' }), false, 'relative to where it was typed')
})

t.test('what lies elsewhere, or came from elsewhere, is not', async t => {
  for (const name of ['/tmp/evil.js', '../evil.js', './servers/../../evil.js', '/home/me/hopbench-evil/app.js', '/',
    './results/run/evil.js', './node_modules/evil/index.js', './.tools/evil.js', '..', './', '']) {
    t.equal(leads(name), true, name)
  }
  t.equal(leads('./app.js', { cwd: '/tmp' }), true, 'relative to another folder')
})

t.test('what no word says is not either', async t => {
  for (const name of ['a/../../evil.js', 'data:text/javascript,0', 'file:///tmp/evil.js', 'Express', '%2e%2e/evil.js',
    './app.js\n', 'node:fs', '\\\\host\\evil.js']) t.equal(leads(name), true, JSON.stringify(name))
})

t.test('no text that leads out is taken for one that does not', async t => {
  const parts = fc.array(fc.constantFrom('..', '.', 'a', 'results', '', 'hopbench'))
  fc.assert(fc.property(parts, parts => {
    const name = `./${parts.join('/')}`
    const inside = resolve(where.cwd, name).startsWith(`${where.project}/`)
    return inside || leads(name)
  }), { numRuns: 2000 })
})
