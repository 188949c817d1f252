import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { keepFiles } from '../../bench/measure/kept-files.js'
import { parse } from '../../bench/plan/word.js'

/** @type {import('../../bench/types.js').Arm} */
const arm = {
  name: 'an arm',
  word: 'node-static',
  topology: parse('node-static'),
  load: { engine: 'autocannon', connections: 10, path: '/', headers: {} },
  twinOf: null
}

t.test('copies plain configurations and logs only, and follows no link', async t => {
  const place = t.testdir({
    arm: { 'nginx.conf': 'events {}', 'proxy.log': 'started', app: { 'server.log': 'listening', 'note.txt': '' } },
    outside: { 'secret.log': 'secret' },
    kept: {}
  })
  const dir = join(place, 'arm')
  symlinkSync(join(place, 'outside/secret.log'), join(dir, 'app/linked.log'))
  symlinkSync(join(place, 'outside'), join(dir, 'app/linked'))
  execFileSync('mkfifo', [join(dir, 'app/waits.log')])
  keepFiles([{ arm, dir, configs: ['nginx.conf', 'missing.conf'] }], join(place, 'kept'))
  const kept = join(place, 'kept/an_arm')
  t.equal(readFileSync(join(kept, 'nginx.conf'), 'utf8'), 'events {}')
  t.equal(readFileSync(join(kept, 'proxy.log'), 'utf8'), 'started')
  t.equal(readFileSync(join(kept, 'app/server.log'), 'utf8'), 'listening')
  for (const file of ['app/note.txt', 'app/linked.log', 'app/linked', 'app/waits.log', 'missing.conf']) {
    t.notOk(existsSync(join(kept, file)), file)
  }
})
