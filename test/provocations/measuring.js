/** What is up, and cannot be measured. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { splitCores } from '../../bench/cores.js'
import wrk from '../../bench/engines/wrk.js'
import { startGenerator } from '../../bench/generator.js'
import { armOf } from '../../bench/request.js'
import { openSizingRig } from '../../bench/sizing/rig.js'
import { makeTempRoot } from '../../bench/temp.js'
import { placeFor } from '../support/cli.js'
import { program } from '../support/provoke.js'

/** @type {import('../support/provoke.js').Provocations} */
export default {
  'gate-refused': async t => {
    const { dir } = placeFor(t)
    writeFileSync(join(dir, 'app.mjs'), 'export default (req, res) => res.writeHead(500).end()\n')
    const temp = makeTempRoot()
    t.teardown(() => temp.remove())
    const rig = await openSizingRig(await armOf(join(dir, 'app.mjs'), { connections: 10 }), { temp: join(temp.path, 's'), lab: false, cores: splitCores(), cwd: dir })
    await rig.close()
  },
  'engine-report': async t => {
    const { dir } = placeFor(t)
    const generator = startGenerator({
      name: 'it',
      engine: wrk,
      program: program(dir, 'wrk', 'echo "Requests: many"'),
      env: {},
      load: { engine: 'wrk', connections: 1, path: '/', headers: {} },
      target: { url: 'http://127.0.0.1:1', socketPath: null, expectBody: null },
      network: { enter: [] },
      cores: null,
      dir: join(dir, 'load'),
      maxSeconds: 1
    })
    t.teardown(() => generator.kill())
    await generator.finished(30)
  }
}
