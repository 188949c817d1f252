import t from 'tap'
import { loadPlugin, pluginNames } from '../../bench/plugins.js'

const load = { engine: '', connections: 100, path: '/x', headers: { 'X-Test': '1' } }
const target = { url: 'http://127.0.0.1:8080', socketPath: null, expectBody: null }
const context = { program: '/usr/bin/engine', dir: '/tmp/engine', maxSeconds: 600 }

for (const name of pluginNames('engine')) {
  t.test(`engine ${name}`, async t => {
    /** @type {{ default: import('../../bench/types.d.ts').EnginePlugin }} */
    const { default: engine } = await loadPlugin('engine', name)

    const { processes } = engine.command(load, target, context)
    const told = JSON.stringify(processes)
    t.ok(processes.length > 0, 'starts at least one process')
    t.ok(told.includes('8080') && told.includes('/x'), 'is told the target and the path')
    t.ok(told.includes('100'), 'is told the connections')
    t.ok(told.includes('X-Test'), 'is told the headers')
    t.ok(told.includes('600'), 'ends by itself')
    t.same(engine.command(load, target, context), engine.command(load, target, context), 'the same order gives the same command')

    const mixed = engine.command({ ...load, paths: ['/one', '/two'] }, target, context)
    t.ok(['/one', '/two'].every(path => JSON.stringify(mixed).includes(path)), 'is told every path of a mix')

    for (const stdout of ['', 'garbage', '{', '{"requests":"many"}', '<html>502</html>']) {
      t.throws(() => engine.parse([{ stdout, stderr: '', dir: '/tmp', exit: 0 }]), `refuses the report ${JSON.stringify(stdout)}`)
    }
  })
}
