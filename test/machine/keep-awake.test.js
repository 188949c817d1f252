import { readdirSync, readFileSync } from 'node:fs'
import t from '../support/tap.js'
import { allowedCores } from '../../bench/machine/cores.js'
import { keepAwake } from '../../bench/machine/keep-awake.js'

const IDLE = 5 // SCHED_IDLE, in the 41st field of /proc/PID/stat (proc_pid_stat(5))
const loops = () => readdirSync('/proc').filter(name => /^\d+$/.test(name)).flatMap(pid => {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    if (!command.includes('ulimit -t 61')) return []
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return [Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[38])]
  } catch {
    return []
  }
})

t.test('a loop of the class idle runs on each core until it is ended', async t => {
  const { cores } = allowedCores()
  const end = keepAwake(cores, 61, { isVirtual: true })
  for (let looks = 0; looks < 100 && loops().filter(policy => policy === IDLE).length < cores.length; looks++) {
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  t.same(loops(), cores.map(() => IDLE))
  await end()
  t.same(loops(), [], 'nothing is left running')
})

t.test('nothing is started on a machine that is not virtual, or without chrt', async t => {
  await keepAwake([0], 61, { isVirtual: false })()
  await keepAwake([0], 61, { isVirtual: null })()
  await keepAwake([0], 61, { isVirtual: true, env: { PATH: '/nowhere' } })()
  t.same(loops(), [])
})
