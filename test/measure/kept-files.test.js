import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '../support/tap.js'
import { cutLongLines, readEnd, readExcerpt } from '../../bench/machine/files/log-excerpt.js'
import { keepFiles, writeKept } from '../../bench/measure/kept-files.js'
import { parse } from '../../bench/plan/spec.js'
import { armOf } from '../support/samples.js'

/** @import { Arm } from '../../bench/types.js' */

const KEY = '-----BEGIN RSA PRIVATE KEY-----\nMIIE\nsecret\n-----END RSA PRIVATE KEY-----\n'
const SECRET = 'hunter2-hunter2'

/** Returns an arm whose server is a command. @returns {Arm} */
function commandArm () {
  const arm = armOf('nginx:keepalive/express-json')
  const { server } = parse('express-json')
  const command = { run: 'node app.js', port: 3000 }
  return /** @type {any} */ ({ ...arm, topology: { ...arm.topology, server: { ...server, command } } })
}

t.test('keeps the beginning and the end of a long log, and no secret of a line that was cut', async t => {
  const dir = t.testdir({ arm: {}, kept: {} })
  const arm = commandArm()
  const lines = Array.from({ length: 40_000 }, (_, i) => `request ${i} password=${SECRET} and more`)
  writeFileSync(join(dir, 'arm/server.log'), lines.join('\n'))
  keepFiles([{ arm, dir: join(dir, 'arm'), configs: [] }], join(dir, 'kept'))
  const kept = readFileSync(join(dir, 'kept', arm.name, 'server.log'), 'utf8')
  t.ok(kept.length < 600_000)
  t.match(kept, /^request 0 /)
  t.match(kept, /request 39999 .*more$/)
  t.notMatch(kept, /hunter/)
  const whole = kept.split('\n').filter(line => !line.includes('left out'))
  t.strictSame(whole.filter(line => !/^request \d+ password=\[redacted\] and more$/.test(line)), [])
})

t.test('cuts long lines of a log after removing secrets', async t => {
  const dir = t.testdir({ arm: {}, kept: {} })
  const arm = commandArm()
  writeFileSync(join(dir, 'arm/server.log'), `${'x'.repeat(4080)} password=${SECRET}${'y'.repeat(120_000)}\nlast\n`)
  const before = process.cpuUsage()
  keepFiles([{ arm, dir: join(dir, 'arm'), configs: [] }], join(dir, 'kept'))
  t.ok(process.cpuUsage(before).user < 2e6)
  const kept = readFileSync(join(dir, 'kept', arm.name, 'server.log'), 'utf8')
  t.ok(kept.length < 5000)
  t.notMatch(kept, /hunter/)
  t.match(kept, /\nlast\n$/)
})

t.test('an excerpt has complete lines only, and no part of a private key', async t => {
  const dir = t.testdir({ log: `first\nsecond\n${'-'.repeat(100)}\nthird\nlast\n` })
  t.equal(readExcerpt(join(dir, 'log')), `first\nsecond\n${'-'.repeat(100)}\nthird\nlast\n`, 'a short log is whole')
  t.match(readExcerpt(join(dir, 'log'), 20), /^first\nsecond\n\[.*\]\nthird\nlast\n$/)
  t.match(readEnd(join(dir, 'log'), 8), /^\[.*\]\nlast\n$/)
  writeFileSync(join(dir, 'log'), 'x'.repeat(1000))
  t.match(readExcerpt(join(dir, 'log'), 20), /^\[.*\]\n$/, 'a line longer than both parts is left out')
  writeFileSync(join(dir, 'log'), `${'line\n'.repeat(30)}${KEY}end\n`)
  for (let length = 5; length < KEY.length; length++) {
    t.notMatch(readEnd(join(dir, 'log'), length).replace(KEY, ''), /MIIE|secret/, `the last ${length} bytes`)
  }
  t.strictSame(cutLongLines('short\nlines'), 'short\nlines')
})

t.test('writes no kept file through a link', async t => {
  const dir = t.testdir({ kept: { arm: {} }, outside: {}, precious: 'kept' })
  symlinkSync(join(dir, 'precious'), join(dir, 'kept/arm/server.log'))
  writeKept(join(dir, 'kept'), 'arm/server.log', 'new')
  t.equal(readFileSync(join(dir, 'precious'), 'utf8'), 'kept')
  t.equal(readFileSync(join(dir, 'kept/arm/server.log'), 'utf8'), 'new')
  writeKept(join(dir, 'kept'), 'arm/server.log', 'newer')
  t.equal(readFileSync(join(dir, 'kept/arm/server.log'), 'utf8'), 'newer', 'an earlier file is replaced')
  rmSync(join(dir, 'kept/arm'), { recursive: true })
  symlinkSync(join(dir, 'outside'), join(dir, 'kept/arm'))
  t.throws(() => writeKept(join(dir, 'kept'), 'arm/server.log', 'new'), { message: /kept\/arm is not a folder$/ })
  mkdirSync(join(dir, 'kept/other'))
  symlinkSync(join(dir, 'outside'), join(dir, 'kept/other/origin'))
  t.throws(() => writeKept(join(dir, 'kept'), 'other/origin/nginx.conf', 'new'),
    { message: /kept\/other\/origin is not a folder$/ })
  t.strictSame(readdirSync(join(dir, 'outside')), [])
})
