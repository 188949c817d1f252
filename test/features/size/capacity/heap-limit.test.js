import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from '../../../support/tap.js'
import { readHeapLimit } from '../../../../bench/features/size/capacity/heap-limit.js'

t.test('reads the limit of the heap that an option of the process sets, and no limit of another program', async t => {
  const wait = 'process.stdin.resume(); process.stdout.write("up")'
  const env = { ...process.env, NODE_OPTIONS: '--max-old-space-size=100' }
  const [typed, set] = [
    spawn(process.execPath, ['--max-old-space-size=300', '-e', wait], { env }),
    spawn(process.execPath, ['-e', wait], { env })
  ]
  const other = spawn('cat')
  t.teardown(() => [typed, set, other].forEach(child => child.kill()))
  await Promise.all([typed, set].map(({ stdout }) => once(stdout, 'data')))
  const [large, small] = [await readHeapLimit([Number(typed.pid)]), await readHeapLimit([Number(set.pid)])]
  t.ok(Number(large) >= 300 && Number(large) < 400, `${large} MiB`)
  t.ok(Number(small) >= 100 && Number(small) < 200, `${small} MiB`)
  t.equal(await readHeapLimit([Number(other.pid)]), null)
})
